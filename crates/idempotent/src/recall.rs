//! Reading a completed record: its answer, from wherever it lies.

use http::StatusCode;
use tabletheory_core::store::op::GetItem;
use tabletheory_core::{Item, StoreExt};

use crate::error::Error;
use crate::machine::Idempotency;
use crate::moment;
use crate::record::{IdempotencyRecord, KeptHeader};
use crate::replay::Replay;
use crate::response::{Response, replayed};
use crate::standing::{self, integer, text};
use crate::stored::{Stored, parts};

impl Idempotency {
    /// The record with this key as it is.
    pub(crate) async fn row(&self, row_key: &str) -> Result<Option<Item>, Error> {
        let get = self.db.get(IdempotencyRecord::key(row_key)).consistent();
        let get: GetItem = get.request().map_err(tabletheory::Error::erase)?;
        Ok(self.db.store().send(get).await?.item)
    }

    /// The answer of a completed record, remembered for the next who asks.
    pub(crate) async fn replay(&self, row_key: &str, row: &Item) -> Result<Replay, Error> {
        // Services of the seed write no status.
        let status = integer(row, "StatusCode").filter(|status| *status != 0).unwrap_or(200);
        let status = u16::try_from(status).ok().and_then(|status| StatusCode::from_u16(status).ok());
        let status = status.ok_or(Error::Unreadable { attribute: "StatusCode" })?;
        let (headers, body) = match Stored::of(row)? {
            Stored::Inline { headers, body } => (headers, body),
            Stored::TooLarge { length } => {
                return Err(Error::ResponseTooLarge { status: status.as_u16(), bytes: length });
            }
            Stored::Lost { .. } => return Err(Error::ResponseLost { status: status.as_u16() }),
            Stored::Elsewhere { key, length, sha256 } => {
                let piece = self.bodies.get(&self.db, row_key, &key, (length, &sha256)).await?;
                let lost = Error::ResponseLost { status: status.as_u16() };
                piece.as_ref().and_then(parts).ok_or(lost)?
            }
        };
        let replay = Replay {
            response: answer(status, &headers, body),
            attempt: Some(standing::attempt(row)).filter(|attempt| *attempt > 0),
            completed_at: text(row, "CompletedAt").and_then(moment::parse),
            is_cached: false,
        };
        if let (Some(known), Some(hash)) = (&self.known, text(row, "RequestHash")) {
            known.keep(row_key, hash, integer(row, "ExpiresAt").unwrap_or(i64::MAX), &replay);
        }
        Ok(replay)
    }
}

/// An answer as it is replayed.
pub(crate) fn answer(status: StatusCode, headers: &[KeptHeader], body: bytes::Bytes) -> Response {
    Response { status, headers: replayed(headers), body }
}
