//! What was made once and would be made again: in files of a directory, by what it was made from.
//!
//! An entry is a file of its own, named by the hash of its key. It begins with the key itself, so that entries of equal hashes
//! are not confused, and with a checksum, so that one that is cut off or damaged is not used: it is made anew. A new entry is
//! written under another name and renamed, so that processes that use the directory at the same time see all of it or nothing.
//! When the entries are larger than the limit together, the oldest go.
//!
//! The cache never fails: without a directory that can be read and written, everything is made each time.

use std::fs::{self, DirBuilder, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use vm::checksum;

const MAGIC: &[u8] = b"threadbare cache 1\n";
/// How the name of an entry ends, and how that of one begins that is being written.
const ENTRY: &str = "threadbare";
const NEW: &str = "threadbare-new-";
/// How many bytes the entries may have together.
const LIMIT: u64 = 64 << 20;

/// The cache in a directory, which need not be there yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cache {
    directory: PathBuf,
    limit: u64,
}

/// A file of the cache.
#[derive(Debug)]
struct Entry {
    path: PathBuf,
    bytes: u64,
    written: SystemTime,
}

impl Cache {
    /// The cache in this directory.
    pub fn new(directory: impl Into<PathBuf>) -> Cache {
        Cache { directory: directory.into(), limit: LIMIT }
    }

    /// The same, with room for that many bytes.
    pub fn with_limit(self, limit: u64) -> Cache {
        Cache { limit, ..self }
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// What the key stands for; made, and kept, if it is not there.
    pub(crate) fn get_or_make<E>(
        &self,
        key: &[u8],
        make: impl FnOnce() -> Result<Vec<u8>, E>,
    ) -> Result<Vec<u8>, E> {
        if let Some(found) = self.get(key) {
            return Ok(found);
        }
        let made = make()?;
        // Without room for it, it is made again the next time.
        let _ = self.put(key, &made);
        Ok(made)
    }

    fn get(&self, key: &[u8]) -> Option<Vec<u8>> {
        let bytes = fs::read(self.path_of(key)).ok()?;
        contents(&bytes, key).map(<[u8]>::to_vec)
    }

    fn put(&self, key: &[u8], contents: &[u8]) -> io::Result<()> {
        let bytes = entry(key, contents);
        self.make_room(bytes.len() as u64)?;
        DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)?;
        let mut file = tempfile::Builder::new().prefix(NEW).tempfile_in(&self.directory)?;
        file.write_all(&bytes)?;
        file.persist(self.path_of(key))?;
        Ok(())
    }

    fn path_of(&self, key: &[u8]) -> PathBuf {
        self.directory.join(format!("{:016x}.{ENTRY}", checksum(key)))
    }

    /// Let the oldest entries go until there is room for so many bytes.
    fn make_room(&self, bytes: u64) -> io::Result<()> {
        let Some(most) = self.limit.checked_sub(bytes) else {
            return Err(io::ErrorKind::FileTooLarge.into());
        };
        let mut entries = self.entries();
        entries.sort_by_key(|entry| entry.written);
        let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
        for entry in entries {
            if total <= most {
                break;
            }
            fs::remove_file(&entry.path)?;
            total -= entry.bytes;
        }
        Ok(())
    }

    /// The files of the cache. Other files in the directory are none of its business.
    fn entries(&self) -> Vec<Entry> {
        let files = fs::read_dir(&self.directory).into_iter().flatten().flatten();
        let is_ours = |path: &Path| {
            let is_entry = path.extension().is_some_and(|ending| ending == ENTRY);
            is_entry || path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(NEW))
        };
        let entry = |path: PathBuf| {
            let metadata = fs::symlink_metadata(&path).ok().filter(Metadata::is_file)?;
            let written = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            Some(Entry { path, bytes: metadata.len(), written })
        };
        files.map(|file| file.path()).filter(|path| is_ours(path)).filter_map(entry).collect()
    }

    /// How many entries there are, and how many bytes they have together.
    pub fn size(&self) -> (usize, u64) {
        let entries = self.entries();
        (entries.len(), entries.iter().map(|entry| entry.bytes).sum())
    }

    /// Remove all entries. What was there, as [`Cache::size`] tells it.
    pub fn clean(&self) -> io::Result<(usize, u64)> {
        let size = self.size();
        self.entries().iter().try_for_each(|entry| fs::remove_file(&entry.path))?;
        Ok(size)
    }
}

/// The bytes of an entry: magic, the lengths of key and contents, their checksum, both.
fn entry(key: &[u8], contents: &[u8]) -> Vec<u8> {
    let body = [key, contents].concat();
    let lengths = [key.len() as u64, contents.len() as u64, checksum(&body)].map(u64::to_le_bytes);
    [MAGIC, lengths.as_flattened(), &body].concat()
}

/// What an entry holds, if it is whole, and that of the key.
fn contents<'a>(bytes: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (numbers, body) = rest.split_at_checked(24)?;
    let mut numbers = numbers.as_chunks::<8>().0.iter().map(|number| u64::from_le_bytes(*number));
    let (key_length, length, sum) = (numbers.next()?, numbers.next()?, numbers.next()?);
    let is_whole = key_length.checked_add(length) == Some(body.len() as u64) && checksum(body) == sum;
    if !is_whole { None } else { body.strip_prefix(key).filter(|contents| contents.len() as u64 == length) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn directory() -> tempfile::TempDir {
        tempfile::tempdir().expect("a directory for the test")
    }

    /// What the cache says for a key, and whether that was made.
    fn ask(cache: &Cache, key: &str, make: &str) -> (String, bool) {
        let is_made = Cell::new(false);
        let make = || {
            is_made.set(true);
            Ok::<_, ()>(make.as_bytes().to_vec())
        };
        let found = cache.get_or_make(key.as_bytes(), make).expect("nothing fails");
        (String::from_utf8(found).expect("text"), is_made.get())
    }

    #[test]
    fn what_was_made_is_found_again() {
        let directory = directory();
        let cache = Cache::new(directory.path().join("a/b"));
        assert_eq!(ask(&cache, "k", "one"), ("one".to_owned(), true));
        assert_eq!(ask(&cache, "k", "two"), ("one".to_owned(), false));
        assert_eq!(ask(&cache, "other", "two"), ("two".to_owned(), true));
        assert_eq!(cache.size().0, 2);
        assert_eq!(cache.clean().expect("it is ours").0, 2);
        assert_eq!(cache.size(), (0, 0));
        assert_eq!(ask(&cache, "k", "three"), ("three".to_owned(), true));
    }

    #[test]
    fn an_entry_that_is_damaged_is_made_anew() {
        let directory = directory();
        let cache = Cache::new(directory.path());
        ask(&cache, "key", "contents");
        let file = cache.path_of(b"key");
        let whole = fs::read(&file).expect("it was written");
        for length in 0..whole.len() {
            fs::write(&file, &whole[..length]).expect("it is ours");
            assert_eq!(ask(&cache, "key", "contents"), ("contents".to_owned(), true), "{length} bytes");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            fs::write(&file, &changed).expect("it is ours");
            assert_eq!(ask(&cache, "key", "contents"), ("contents".to_owned(), true), "byte {at}");
        }
        assert_eq!(ask(&cache, "key", "other"), ("contents".to_owned(), false));
    }

    #[test]
    fn the_entry_of_another_key_is_not_taken() {
        let directory = directory();
        let cache = Cache::new(directory.path());
        ask(&cache, "ab", "cd");
        fs::rename(cache.path_of(b"ab"), cache.path_of(b"a")).expect("it was written");
        assert_eq!(ask(&cache, "a", "new"), ("new".to_owned(), true));
    }

    #[test]
    fn the_oldest_entries_go() {
        let directory = directory();
        let size = entry(b"a", b"1234").len() as u64;
        let cache = Cache::new(directory.path()).with_limit(2 * size);
        for (age, key) in [(30, "a"), (20, "b"), (10, "c")] {
            ask(&cache, key, "1234");
            let written = SystemTime::now() - std::time::Duration::from_secs(age);
            fs::File::options()
                .write(true)
                .open(cache.path_of(key.as_bytes()))
                .and_then(|file| file.set_modified(written))
                .expect("it is ours");
        }
        assert_eq!(cache.size(), (2, 2 * size));
        assert!(!ask(&cache, "b", "").1 && !ask(&cache, "c", "").1);
        assert!(ask(&cache, "large", &"x".repeat(1000)).1, "there is never room for it");
        assert!(ask(&cache, "large", &"x".repeat(1000)).1);
        assert_eq!(cache.size().0, 2, "for nothing, none goes");
    }

    #[test]
    fn without_a_directory_everything_is_made() {
        let directory = directory();
        fs::write(directory.path().join("file"), "").expect("it is ours");
        let cache = Cache::new(directory.path().join("file"));
        assert!(ask(&cache, "k", "1").1 && ask(&cache, "k", "1").1);
        assert_eq!(cache.size(), (0, 0));
    }

    #[test]
    fn files_of_others_stay() {
        let directory = directory();
        let cache = Cache::new(directory.path());
        fs::write(directory.path().join("mine.txt"), "text").expect("it is ours");
        ask(&cache, "k", "1");
        cache.clean().expect("it is ours");
        assert_eq!(fs::read_dir(directory.path()).expect("it is there").count(), 1);
    }
}
