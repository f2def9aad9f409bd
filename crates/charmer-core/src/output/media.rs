//! Output that is a picture or a sound, known by how it begins.

/// A form of pictures or sounds that assistants can be given as such.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MediaType {
    /// A PNG image.
    Png,
    /// A JPEG image.
    Jpeg,
    /// A GIF image.
    Gif,
    /// Sound in a WAV file.
    Wav,
    /// MP3 sound.
    Mp3,
    /// Sound in an Ogg file: Vorbis, Opus and others.
    Ogg,
}

impl MediaType {
    /// The form of these bytes, which may be the beginning of more. `None` if they are anything else.
    ///
    /// ```
    /// use charmer_core::output::MediaType;
    /// assert_eq!(MediaType::of(b"GIF89a\x01\0\x01\0"), Some(MediaType::Gif));
    /// assert_eq!(MediaType::of(b"GIF89a is a format"), None);
    /// ```
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            // The marker that follows begins with 0xff, as all do.
            [0xff, 0xd8, 0xff, 0xc0..=0xfe, ..] => Some(Self::Jpeg),
            // A text may begin with the first six; the width and height behind them are no text.
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', size @ ..] => {
                let size = size.get(..4)?;
                (!size.iter().all(|&byte| is_text(byte))).then_some(Self::Gif)
            }
            [
                b'R',
                b'I',
                b'F',
                b'F',
                _,
                _,
                _,
                _,
                b'W',
                b'A',
                b'V',
                b'E',
                ..,
            ] => Some(Self::Wav),
            [b'O', b'g', b'g', b'S', 0, ..] => (!holds_video(bytes)).then_some(Self::Ogg),
            // The head of a tag: its version, flags, and a size of seven bits a byte.
            [b'I', b'D', b'3', 2..=4, 0..=0xfe, _, size @ ..] => {
                let size = size.get(..4)?;
                size.iter().all(|&byte| byte < 0x80).then_some(Self::Mp3)
            }
            [0xff, second, third, ..] => is_mp3_frame(*second, *third).then_some(Self::Mp3),
            _ => None,
        }
    }

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "PNG image",
            Self::Jpeg => "JPEG image",
            Self::Gif => "GIF image",
            Self::Wav => "WAV audio",
            Self::Mp3 => "MP3 audio",
            Self::Ogg => "Ogg audio",
        }
    }

    /// Its media type.
    pub fn mime_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Wav => "audio/wav",
            Self::Mp3 => "audio/mpeg",
            Self::Ogg => "audio/ogg",
        }
    }

    /// Returns true if it is heard, and not seen.
    pub fn is_audio(self) -> bool {
        matches!(self, Self::Wav | Self::Mp3 | Self::Ogg)
    }
}

fn is_text(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t')
}

/// The first packet of an Ogg file says what is in it; it stands behind the table of its page.
fn holds_video(bytes: &[u8]) -> bool {
    let table = bytes.get(26).map_or(0, |&segments| usize::from(segments));
    let packet = bytes.get(27 + table..).unwrap_or_default();
    packet.starts_with(b"\x80theora")
}

/// The head of a frame of MP3: eleven bits that are set, layer III, and a rate that exists.
fn is_mp3_frame(second: u8, third: u8) -> bool {
    let layer_three = second & 0xe6 == 0xe2;
    let version_exists = second & 0x18 != 0x08;
    let bit_rate_exists = !matches!(third >> 4, 0 | 15);
    let sample_rate_exists = third & 0x0c != 0x0c;
    layer_three && version_exists && bit_rate_exists && sample_rate_exists
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_known_by_how_it_begins() {
        let ogg = |packet: &[u8]| {
            let head = [&b"OggS\0\x02"[..], &[0; 20], &[1, 30], packet];
            head.concat()
        };
        let known: [(&[u8], MediaType); 10] = [
            (b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", MediaType::Png),
            (b"\xff\xd8\xff\xe0\0\x10JFIF\0", MediaType::Jpeg),
            (b"\xff\xd8\xff\xdb\0\x43", MediaType::Jpeg),
            (b"GIF87a\x01\0\x01\0", MediaType::Gif),
            (b"RIFF\x24\0\0\0WAVEfmt ", MediaType::Wav),
            (b"ID3\x04\0\0\0\0\0\x23TSSE", MediaType::Mp3),
            (b"\xff\xfb\x90\x64\0", MediaType::Mp3),
            (b"\xff\xf3\x40\xc4\0", MediaType::Mp3),
            (&ogg(b"\x01vorbis"), MediaType::Ogg),
            (&ogg(b"OpusHead"), MediaType::Ogg),
        ];
        for (bytes, media) in known {
            assert_eq!(MediaType::of(bytes), Some(media), "{bytes:?}");
            assert_eq!(media.is_audio(), media.mime_type().starts_with("audio/"));
        }
        let others: [&[u8]; 14] = [
            b"",
            b"\x89PNG",
            b"PNG\r\n",
            b"\xff\xd8",
            b"\xff\xd8\xff\0",
            b"GIF89a",
            b"GIF89a is what it begins with",
            b"RIFF\x24\0\0\0AVI LIST",
            b"RIFF: a company; WAVE: another",
            b"ID3 tags are missing",
            b"OggS is a mark",
            &ogg(b"\x80theora"),
            // The mark of UTF-16, and another layer.
            b"\xff\xfeh\0i\0",
            b"\xff\xfd\x90\0",
        ];
        for bytes in others {
            assert_eq!(MediaType::of(bytes), None, "{bytes:?}");
        }
    }
}
