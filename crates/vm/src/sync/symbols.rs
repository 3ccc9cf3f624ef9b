//! The functions by name.

use serde::{Deserialize, Serialize};

/// A function of POSIX threads, POSIX semaphores or C11 threads that has a model here.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each is the function that it is called after")]
pub enum SyncCall {
    ThreadCreate,
    ThreadJoin,
    MutexAttributeInit,
    MutexAttributeType,
    MtxInit,
    MtxTryLock,
    MutexTimedLock,
    MtxTimedLock,
    SpinInit,
    SpinLock,
    SpinTryLock,
    SpinUnlock,
    Once,
    KeyCreate,
    KeyDelete,
    GetSpecific,
    SetSpecific,
    CondInit,
    CondDestroy,
    CondWait,
    CondTimedWait,
    CndTimedWait,
    CondSignal,
    CondBroadcast,
    SemInit,
    SemWait,
    SemTryWait,
    SemTimedWait,
    SemPost,
    SemGetValue,
    SemDestroy,
    RwInit,
    RwDestroy,
    RwReadLock,
    RwTryReadLock,
    RwTimedReadLock,
    RwWriteLock,
    RwTryWriteLock,
    RwTimedWriteLock,
    RwUnlock,
    BarrierInit,
    BarrierWait,
    BarrierDestroy,
}

impl SyncCall {
    /// Whether it looks, without waiting, at a lock that other threads may hold.
    pub(crate) fn tries(self) -> bool {
        matches!(
            self,
            SyncCall::MtxTryLock
                | SyncCall::MutexTimedLock
                | SyncCall::MtxTimedLock
                | SyncCall::SpinTryLock
                | SyncCall::SemTryWait
                | SyncCall::SemTimedWait
                | SyncCall::RwTryReadLock
                | SyncCall::RwTryWriteLock
                | SyncCall::RwTimedReadLock
                | SyncCall::RwTimedWriteLock
        )
    }

    /// The function with this name; `None` if it is not one of these.
    pub(crate) fn from_symbol(name: &str) -> Option<SyncCall> {
        Some(match name {
            "thrd_create" => SyncCall::ThreadCreate,
            "thrd_join" => SyncCall::ThreadJoin,
            "pthread_mutexattr_init" => SyncCall::MutexAttributeInit,
            "pthread_mutexattr_settype" | "pthread_mutexattr_setkind_np" => SyncCall::MutexAttributeType,
            "mtx_init" => SyncCall::MtxInit,
            "mtx_trylock" => SyncCall::MtxTryLock,
            "mtx_timedlock" => SyncCall::MtxTimedLock,
            "pthread_mutex_timedlock" | "pthread_mutex_clocklock" => SyncCall::MutexTimedLock,
            "pthread_once" | "call_once" => SyncCall::Once,
            "pthread_key_create" | "tss_create" => SyncCall::KeyCreate,
            "pthread_key_delete" | "tss_delete" => SyncCall::KeyDelete,
            "pthread_getspecific" | "tss_get" => SyncCall::GetSpecific,
            "pthread_setspecific" | "tss_set" => SyncCall::SetSpecific,
            "pthread_cond_init" | "cnd_init" => SyncCall::CondInit,
            "pthread_cond_destroy" | "cnd_destroy" => SyncCall::CondDestroy,
            "pthread_cond_wait" | "cnd_wait" => SyncCall::CondWait,
            "pthread_cond_timedwait" | "pthread_cond_clockwait" => SyncCall::CondTimedWait,
            "cnd_timedwait" => SyncCall::CndTimedWait,
            "pthread_cond_signal" | "cnd_signal" => SyncCall::CondSignal,
            "pthread_cond_broadcast" | "cnd_broadcast" => SyncCall::CondBroadcast,
            "sem_init" => SyncCall::SemInit,
            "sem_wait" => SyncCall::SemWait,
            "sem_trywait" => SyncCall::SemTryWait,
            "sem_timedwait" | "sem_clockwait" => SyncCall::SemTimedWait,
            "sem_post" => SyncCall::SemPost,
            "sem_getvalue" => SyncCall::SemGetValue,
            "sem_destroy" => SyncCall::SemDestroy,
            _ => return spin(name).or_else(|| shared_lock(name)).or_else(|| barrier(name)),
        })
    }
}

fn spin(name: &str) -> Option<SyncCall> {
    Some(match name {
        "pthread_spin_init" => SyncCall::SpinInit,
        "pthread_spin_lock" => SyncCall::SpinLock,
        "pthread_spin_trylock" => SyncCall::SpinTryLock,
        "pthread_spin_unlock" => SyncCall::SpinUnlock,
        _ => return None,
    })
}

fn shared_lock(name: &str) -> Option<SyncCall> {
    Some(match name {
        "pthread_rwlock_init" => SyncCall::RwInit,
        "pthread_rwlock_destroy" => SyncCall::RwDestroy,
        "pthread_rwlock_rdlock" => SyncCall::RwReadLock,
        "pthread_rwlock_tryrdlock" => SyncCall::RwTryReadLock,
        "pthread_rwlock_timedrdlock" | "pthread_rwlock_clockrdlock" => SyncCall::RwTimedReadLock,
        "pthread_rwlock_wrlock" => SyncCall::RwWriteLock,
        "pthread_rwlock_trywrlock" => SyncCall::RwTryWriteLock,
        "pthread_rwlock_timedwrlock" | "pthread_rwlock_clockwrlock" => SyncCall::RwTimedWriteLock,
        "pthread_rwlock_unlock" => SyncCall::RwUnlock,
        _ => return None,
    })
}

fn barrier(name: &str) -> Option<SyncCall> {
    Some(match name {
        "pthread_barrier_init" => SyncCall::BarrierInit,
        "pthread_barrier_wait" => SyncCall::BarrierWait,
        "pthread_barrier_destroy" => SyncCall::BarrierDestroy,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posix_and_c11_share_models_where_they_agree() {
        for (posix, c11) in [
            ("pthread_once", "call_once"),
            ("pthread_setspecific", "tss_set"),
            ("pthread_cond_wait", "cnd_wait"),
            ("pthread_cond_broadcast", "cnd_broadcast"),
        ] {
            assert!(SyncCall::from_symbol(posix).is_some(), "{posix}");
            assert_eq!(SyncCall::from_symbol(posix), SyncCall::from_symbol(c11), "{c11}");
        }
        assert_ne!(SyncCall::from_symbol("pthread_cond_timedwait"), SyncCall::from_symbol("cnd_timedwait"));
        assert_eq!(SyncCall::from_symbol("sem_open"), None);
    }
}
