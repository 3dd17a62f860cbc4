//! What the table would have to read an encrypted field for.
use tabletheory::Model;

#[derive(Model)]
#[model(table = "app")]
struct Patient {
    #[model(pk)]
    id: String,
    #[model(encrypted)]
    diagnosis: String,
    #[model(encrypted)]
    visits: u64,
    #[model(encrypted)]
    notes: Vec<String>,
}

fn main() {
    let _ = Patient::DIAGNOSIS.eq("influenza");
    let _ = Patient::VISITS.add(1);
    let _ = Patient::NOTES.append(["rash"]);
    let _ = Patient::NOTES.size();
}
