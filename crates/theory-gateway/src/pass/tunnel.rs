//! Two connections joined: bytes go both ways as they come, until one side ends or neither says anything for too long.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::time::sleep;

use crate::origin::counted::{Count, Counted};

/// How long a tunnel may be silent. Protocols that stay open ask each other whether they are still there more often than that.
pub(super) const IDLE_MAX: Duration = Duration::from_secs(300);

/// Joins two connections.
pub(super) async fn join<A, B>(client: A, origin: B, idle_max: Duration)
where
    A: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    let count = Count::default();
    let mut client = Counted::new(client, count.clone());
    let mut origin = Counted::new(origin, count.clone());
    tokio::select! {
        ended = copy_bidirectional(&mut client, &mut origin) => {
            if let Err(error) = ended {
                tracing::debug!(%error, "a tunnel broke");
            }
        }
        () = silence(&count, idle_max) => tracing::debug!("a tunnel was silent for too long"),
    }
}

/// Ends after a span in which nothing was read.
async fn silence(count: &Count, span: Duration) {
    loop {
        let before = count.get();
        sleep(span).await;
        if count.get() == before {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn bytes_go_both_ways_until_one_side_ends() {
        let (mut client, client_end) = duplex(16);
        let (mut origin, origin_end) = duplex(16);
        let tunnel = tokio::spawn(join(client_end, origin_end, IDLE_MAX));
        let mut four = [0; 4];
        for _ in 0..10 {
            client.write_all(b"ping").await.unwrap();
            origin.read_exact(&mut four).await.unwrap();
            assert_eq!(&four, b"ping");
            origin.write_all(b"pong").await.unwrap();
            client.read_exact(&mut four).await.unwrap();
            assert_eq!(&four, b"pong");
            sleep(IDLE_MAX / 2).await;
        }
        client.shutdown().await.unwrap();
        assert_eq!(origin.read(&mut four).await.unwrap(), 0, "the end is passed on");
        drop(origin);
        tunnel.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_tunnel_ends() {
        let (client, client_end) = duplex(16);
        let (origin, origin_end) = duplex(16);
        join(client_end, origin_end, IDLE_MAX).await;
        drop((client, origin));
    }
}
