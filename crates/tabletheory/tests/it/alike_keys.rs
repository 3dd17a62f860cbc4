//! Models of one table whose keys begin alike: a read of the one never gives an item of the other.

use std::sync::Arc;

use futures_executor::block_on;
use tabletheory::model::ModelError;
use tabletheory::stream::{DecodeFault, Decoder, LambdaEvent};
use tabletheory::table::{CopyFault, Table, Transformed, copy};
use tabletheory::testing::TestStore;
use tabletheory::{Db, Model, Projection};
use tabletheory_core::Number;

#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", pk = "BLOG#{blog}", sk = "POST#{post}")]
#[model(index(name = "by_stars", pk = stars))]
struct Post {
    blog: String,
    post: String,
    stars: u64,
}

/// Has everything that a post has.
#[derive(Model, Debug, Clone, PartialEq)]
#[model(table = "app", pk = "BLOG#{blog}", sk = "POST#{post}#COMMENT#{number:03}")]
#[model(index(name = "by_stars", pk = stars))]
struct Comment {
    blog: String,
    post: String,
    number: u32,
    stars: u64,
}

#[derive(Projection, Debug, PartialEq)]
#[projection(of = Post)]
struct Stars {
    stars: u64,
}

fn post(post: &str) -> Post {
    Post { blog: "b".into(), post: post.into(), stars: 1 }
}

fn comment(post: &str, number: u32) -> Comment {
    Comment { blog: "b".into(), post: post.into(), number, stars: 1 }
}

/// Three posts, of which the first two have nine comments each.
async fn world() -> (TestStore, Db) {
    let store = TestStore::new();
    let db = Db::new(store.clone());
    db.create_table::<Post>().await.unwrap();
    for name in ["x", "y", "z"] {
        db.create(&post(name)).await.unwrap();
    }
    for number in 0..9 {
        db.create(&comment("x", number)).await.unwrap();
        db.create(&comment("y", number)).await.unwrap();
    }
    (store, db)
}

#[test]
fn reads_pass_over_the_items_of_other_models() {
    block_on(async {
        let (_, db) = world().await;
        let posts = [post("x"), post("y"), post("z")];
        assert_eq!(db.query(Post::query("b")).await.unwrap(), posts);
        assert_eq!(db.query(Post::query("b")).desc().page_size(2).await.unwrap().len(), 3);
        assert_eq!(db.query(Post::by_stars(1)).await.unwrap().len(), 3);
        assert_eq!(db.scan::<Post>().await.unwrap().len(), 3);
        assert_eq!(db.scan::<Post>().segments(3).await.unwrap().len(), 3);
        // The comments on the first post lie before the second.
        assert_eq!(db.query(Post::query("b").gt("x")).first().await.unwrap(), Some(post("y")));
        assert_eq!(db.query(Post::query("b")).limit(2).await.unwrap(), posts[..2]);
        let folded = db.query(Post::query("b")).fold(0, |count, _| count + 1).await.unwrap();
        assert_eq!(folded, 3);
        // Parts of posts, and what is made of one of their fields.
        assert_eq!(db.query(Post::query("b")).select::<Stars>().await.unwrap().len(), 3);
        assert_eq!(db.query(Post::query("b")).sum(Post::STARS).await.unwrap(), Number::from(3));
        let groups = db.query(Post::query("b")).group_by(Post::STARS).count().await.unwrap();
        assert_eq!(groups[&1], 3);
        assert_eq!(db.query(Comment::query("b")).await.unwrap().len(), 18);
    });
}

#[test]
fn pages_have_as_many_items_as_they_should() {
    block_on(async {
        let (_, db) = world().await;
        let read = || db.query(Post::query("b")).limit(2);
        let first = read().page(None).await.unwrap();
        assert_eq!(first.items, [post("x"), post("y")]);
        let second = read().page(first.cursor.as_deref()).await.unwrap();
        assert_eq!(second.items, [post("z")]);
        let parts = db.query(Post::query("b")).select::<Stars>().limit(5).page(None).await.unwrap();
        assert_eq!((parts.items.len(), parts.cursor), (3, None));
    });
}

#[tokio::test(start_paused = true)]
async fn copies_make_no_posts_of_comments() {
    let (store, _) = world().await;
    let from = Table::<Post>::new(Arc::new(store));
    let to = from.clone().named("posts");
    to.ensure().await.unwrap();
    let stopped = copy(from.clone(), to.clone()).transform(Transformed::Put).await.unwrap_err();
    let CopyFault::Unreadable { source, .. } = &stopped.fault else { panic!("{stopped}") };
    assert_eq!(*source, ModelError::OtherKeys { model: "Post" });
    let done = copy(from, to).transform(Transformed::Put).skip_unreadable().await.unwrap();
    assert_eq!((done.read, done.written, done.unreadable), (21, 3, 18));
}

#[test]
fn a_record_of_another_model_is_an_error() {
    block_on(async {
        let image = comment("x", 1).to_item().unwrap();
        let event = serde_json::json!({"Records": [{"eventID": "1", "eventName": "INSERT", "dynamodb": {
            "StreamViewType": "NEW_IMAGE", "SequenceNumber": "17", "Keys": {}, "NewImage": image}}]});
        let event = LambdaEvent::parse(&event.to_string()).unwrap();
        let record = &event.records[0];
        assert!(Decoder::<Comment>::new().decode(record).await.is_ok());
        let other = DecodeFault::Model(ModelError::OtherKeys { model: "Post" });
        assert_eq!(Decoder::<Post>::new().decode(record).await.unwrap_err().source, other);
        assert_eq!(Decoder::<Stars>::new().decode(record).await.unwrap_err().source, other);
    });
}
