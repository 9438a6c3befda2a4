/// Makes an enumeration of words that a later daemon may add to.
macro_rules! words {
    ($name:ident { $($variant:ident = $word:literal,)+ }) => {
        /// One of these words, or one of a later daemon.
        #[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
        #[serde(from = "String", into = "String")]
        pub enum $name {
            $(#[doc = concat!("`", $word, "`.")] $variant,)+
            /// A word of a later daemon.
            Other(String),
        }

        impl $name {
            /// The word as it comes over the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $($name::$variant => $word,)+
                    $name::Other(word) => word,
                }
            }
        }

        impl From<String> for $name {
            fn from(word: String) -> Self {
                match word.as_str() {
                    $($word => $name::$variant,)+
                    _ => $name::Other(word),
                }
            }
        }

        impl From<$name> for String {
            fn from(word: $name) -> Self {
                word.as_str().to_string()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }
    };
}

pub(crate) use words;
