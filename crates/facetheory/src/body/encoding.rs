//! Content codings: which there are, how bytes are compressed, and which content is worth it.

use std::io::Write;

use brotli::enc::BrotliEncoderParams;
use bytes::Bytes;
use flate2::write::GzEncoder;

use super::settings::Compression;

/// A content coding.
///
/// ```
/// use facetheory::body::Encoding;
///
/// assert_eq!(Encoding::Brotli.token(), "br");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// The bytes as they were rendered.
    Identity,
    /// gzip, which every client reads.
    Gzip,
    /// Brotli, which is smaller.
    Brotli,
}

impl Encoding {
    /// Its name in `Content-Encoding` and `Accept-Encoding`.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            Self::Brotli => "br",
        }
    }
}

/// Whether content of this type gets smaller: text, and formats that are text or uncompressed data in disguise. Images, audio,
/// video and archives are compressed already.
///
/// ```
/// use facetheory::body::compressible;
///
/// assert!(compressible("text/html; charset=utf-8"));
/// assert!(!compressible("image/png"));
/// ```
#[must_use]
pub fn compressible(content_type: &str) -> bool {
    const OTHERS: [&str; 14] = [
        "application/javascript",
        "application/json",
        "application/wasm",
        "application/x-javascript",
        "application/x-ndjson",
        "application/xml",
        "application/yaml",
        "application/graphql",
        "application/vnd.ms-fontobject",
        "font/otf",
        "font/ttf",
        "image/bmp",
        "image/vnd.microsoft.icon",
        "image/x-icon",
    ];
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    // An event stream is flushed piece by piece, which a compressor that sees it whole cannot do.
    let text = essence.starts_with("text/") && essence != "text/event-stream";
    text || essence.ends_with("+json") || essence.ends_with("+xml") || OTHERS.contains(&essence.as_str())
}

/// `bytes` in this encoding, if that makes them smaller.
pub(super) fn compress(bytes: &Bytes, encoding: Encoding, compression: Compression) -> Option<Bytes> {
    if bytes.len() < compression.bytes_min {
        return None;
    }
    let smaller = match encoding {
        Encoding::Identity => return Some(bytes.clone()),
        Encoding::Gzip => gzip(bytes, compression.gzip_level.min(9)),
        Encoding::Brotli => brotli(bytes, compression.brotli_quality.min(11)),
    };
    (smaller.len() < bytes.len()).then(|| Bytes::from(smaller.into_boxed_slice()))
}

fn gzip(bytes: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 2), flate2::Compression::new(level));
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("writing to memory does not fail")
}

fn brotli(mut bytes: &[u8], quality: u32) -> Vec<u8> {
    let quality = i32::try_from(quality).expect("it is at most 11");
    let params = BrotliEncoderParams { quality, size_hint: bytes.len(), ..BrotliEncoderParams::default() };
    let mut smaller = Vec::with_capacity(bytes.len() / 2);
    brotli::BrotliCompress(&mut bytes, &mut smaller, &params).expect("writing to memory does not fail");
    smaller
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use proptest::prelude::*;

    use super::*;

    fn check(content_type: &str, expected: bool) {
        assert_eq!(compressible(content_type), expected, "{content_type}");
    }

    #[test]
    fn text_and_its_like_are_compressible() {
        check("text/html", true);
        check(" Text/CSS ;charset=utf-8", true);
        check("application/json", true);
        check("application/ld+json; profile=x", true);
        check("image/svg+xml", true);
        check("application/xhtml+xml", true);
        check("font/ttf", true);
        check("application/wasm", true);
    }

    #[test]
    fn what_is_compressed_already_or_flushed_is_not() {
        for content_type in
            ["image/png", "image/webp", "video/mp4", "font/woff2", "application/zip", "application/gzip"]
        {
            check(content_type, false);
        }
        check("application/octet-stream", false);
        check("text/event-stream", false);
        check("", false);
        check(";", false);
        check("\0", false);
    }

    fn decoded(bytes: &Bytes, encoding: Encoding) -> Vec<u8> {
        let mut plain = Vec::new();
        match encoding {
            Encoding::Identity => plain.extend_from_slice(bytes),
            Encoding::Gzip => {
                flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut plain).unwrap();
            }
            Encoding::Brotli => {
                brotli::BrotliDecompress(&mut &bytes[..], &mut plain).unwrap();
            }
        }
        plain
    }

    proptest! {
        #[test]
        fn what_was_compressed_is_smaller_and_reads_back(
            word in "[a-z<>/ ]{1,40}", times in 1_usize..400, level in 0_u32..20,
        ) {
            let compression = Compression { gzip_level: level, brotli_quality: level, bytes_min: 0 };
            let bytes = Bytes::from(word.repeat(times));
            for encoding in [Encoding::Gzip, Encoding::Brotli] {
                if let Some(smaller) = compress(&bytes, encoding, compression) {
                    prop_assert!(smaller.len() < bytes.len());
                    prop_assert_eq!(decoded(&smaller, encoding), &bytes[..]);
                }
            }
        }
    }
}
