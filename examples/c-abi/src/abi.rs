//! The boundary: what C gives is checked here and nowhere else, and what C gets is made here.

use crate::code::pg_code;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Bytes with their length; a text is UTF-8 and has no zero at its end. Where `length` is 0, `data` is not looked at, and is null in what
/// the library gives.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_bytes {
    pub data: *const u8,
    pub length: usize,
}

/// 32 bytes: the id of a block or grant, or the name of a reservation or claim.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct pg_id {
    pub bytes: [u8; 32],
}

/// A text that the caller owns: made by a call, ended by pg_text_free.
pub struct pg_text {
    text: String,
}

impl pg_text {
    pub(crate) fn new(text: impl ToString) -> Self {
        Self { text: text.to_string() }
    }
}

impl pg_bytes {
    pub(crate) const EMPTY: Self = Self { data: std::ptr::null(), length: 0 };

    /// A view, which lives as long as what it is of.
    pub(crate) const fn of(bytes: &[u8]) -> Self {
        Self { data: start(bytes), length: bytes.len() }
    }
}

/// Where a list starts; null for an empty one, as Rust's own address for that is one that other languages' runtimes take for corruption.
pub(crate) const fn start<T>(list: &[T]) -> *const T {
    if list.is_empty() { std::ptr::null() } else { list.as_ptr() }
}

/// The bytes of a text, which live as long as it does; none for null.
///
/// Threads: any, with others that read it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_text_bytes(text: *const pg_text) -> pg_bytes {
    guard_or(pg_bytes::EMPTY, || {
        // SAFETY: null, or a text that the caller has not freed.
        let text = unsafe { borrow(text) };
        text.map_or(pg_bytes::EMPTY, |text| pg_bytes::of(text.text.as_bytes()))
    })
}

/// Ends a text; null is nothing to end.
///
/// Threads: one, after all that read it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_text_free(text: *mut pg_text) {
    // SAFETY: null, or a text of this library that the caller has not freed, and does not use again.
    guard_or((), || unsafe { free(text) });
}

/// What a call comes to.
pub(crate) type Coded = Result<pg_code, pg_code>;

/// Runs the body of an entry: no panic leaves it.
pub(crate) fn guard(body: impl FnOnce() -> Coded) -> pg_code {
    guard_or(pg_code::PG_ERROR_PANIC, || body().unwrap_or_else(|error| error))
}

/// The same for an entry that does not answer with a code.
pub(crate) fn guard_or<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    // Whatever a panic interrupts is behind a mutex, which it poisons, or is dropped with the body.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(answer) => answer,
        Err(payload) => {
            // Its drop could panic again. A few bytes for a defect that should be seen to.
            std::mem::forget(payload);
            otherwise
        }
    }
}

/// A pointer that C gave, as a reference.
///
/// # Safety
/// Null, or to a `T` that nobody changes or frees during `'a`.
pub(crate) unsafe fn borrow<'a, T>(pointer: *const T) -> Result<&'a T, pg_code> {
    if !pointer.is_aligned() {
        return Err(pg_code::PG_ERROR_NULL);
    }
    // SAFETY: it is aligned; null is none; else the caller vouches for it.
    unsafe { pointer.as_ref() }.ok_or(pg_code::PG_ERROR_NULL)
}

/// The same for what is changed.
///
/// # Safety
/// Null, or to a `T` that nobody else uses during `'a`.
pub(crate) unsafe fn borrow_mut<'a, T>(pointer: *mut T) -> Result<&'a mut T, pg_code> {
    if !pointer.is_aligned() {
        return Err(pg_code::PG_ERROR_NULL);
    }
    // SAFETY: it is aligned; null is none; else the caller vouches for it.
    unsafe { pointer.as_mut() }.ok_or(pg_code::PG_ERROR_NULL)
}

/// An array that C gave.
///
/// # Safety
/// Null, or to `count` of `T` that nobody changes or frees during `'a`.
pub(crate) unsafe fn list<'a, T>(pointer: *const T, count: usize) -> Result<&'a [T], pg_code> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() || !pointer.is_aligned() {
        return Err(pg_code::PG_ERROR_NULL);
    }
    let most = isize::MAX.unsigned_abs();
    if count.checked_mul(size_of::<T>()).is_none_or(|size| size > most) {
        return Err(pg_code::PG_ERROR_LENGTH);
    }
    // SAFETY: not null, aligned, of a size that a slice can have; for the rest the caller vouches.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Bytes that C gave.
///
/// # Safety
/// As for [`list`], of its `data` and `length`.
pub(crate) unsafe fn bytes<'a>(bytes: pg_bytes) -> Result<&'a [u8], pg_code> {
    // SAFETY: the caller's.
    unsafe { list(bytes.data, bytes.length) }
}

/// A text that C gave.
///
/// # Safety
/// As for [`bytes`].
pub(crate) unsafe fn text<'a>(text: pg_bytes) -> Result<&'a str, pg_code> {
    // SAFETY: the caller's.
    let bytes = unsafe { bytes(text) }?;
    #[cfg(test)]
    assert_ne!(bytes, crate::tests::PANICS);
    std::str::from_utf8(bytes).map_err(|_| pg_code::PG_ERROR_UTF8)
}

/// Where C wants a value. All of an entry's are made before anything fails, so that nothing stale stands there.
pub(crate) struct Out<'a, T> {
    place: &'a mut T,
}

impl<'a, T> Out<'a, T> {
    /// # Safety
    /// Null, or to a place for a `T` that nobody else uses during `'a`. What stands there need not be a `T` yet.
    pub(crate) unsafe fn new(place: *mut T, empty: T) -> Result<Self, pg_code> {
        if place.is_null() || !place.is_aligned() {
            return Err(pg_code::PG_ERROR_NULL);
        }
        // SAFETY: not null and aligned; a place to write to, says the caller.
        unsafe { place.write(empty) };
        // SAFETY: the same, and by now it is a `T`.
        Ok(Self { place: unsafe { &mut *place } })
    }

    pub(crate) fn put(self, value: T) {
        *self.place = value;
    }
}

/// Where C wants a handle. Without a place for it (null), it is not made.
pub(crate) struct OutHandle<'a, T> {
    place: Option<Out<'a, *mut T>>,
}

impl<'a, T> OutHandle<'a, T> {
    /// # Safety
    /// As for [`Out::new`].
    pub(crate) unsafe fn needed(place: *mut *mut T) -> Result<Self, pg_code> {
        // SAFETY: the caller's.
        Ok(Self { place: Some(unsafe { Out::new(place, std::ptr::null_mut()) }?) })
    }

    /// # Safety
    /// As for [`Out::new`].
    pub(crate) unsafe fn wanted(place: *mut *mut T) -> Result<Self, pg_code> {
        if place.is_null() {
            return Ok(Self { place: None });
        }
        // SAFETY: the caller's.
        unsafe { Self::needed(place) }
    }

    pub(crate) fn put(self, value: T) {
        if let Some(place) = self.place {
            place.put(Box::into_raw(Box::new(value)));
        }
    }
}

/// Ends what [`OutHandle::put`] gave.
///
/// # Safety
/// Null, or a handle of this library and of this type, which is not used again.
pub(crate) unsafe fn free<T>(handle: *mut T) {
    if !handle.is_null() && handle.is_aligned() {
        // SAFETY: it came from `Box::into_raw` and is given back once, says the caller.
        drop(unsafe { Box::from_raw(handle) });
    }
}
