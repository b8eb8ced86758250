//! What keeps the claim of a run alive: beats from a thread of its own, so that nothing the command does, and nothing
//! that keeps `run` busy with it, can hold them up.
//!
//! Both clocks are looked at. After the machine slept, or the process was stopped, or the clock was set, a beat is due
//! at once, and only if that fails is the command ended: time alone takes nothing from a claim that nobody else took.
//! A beat that hangs, as on a network file system that went away, is noticed by who calls [`Keeper::is_stuck`].

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use crate::{
    core::{
        claim::Claim,
        rhythm::{PATIENCE, Rhythm},
        rule::Refusal,
        time::Timestamp,
    },
    host::clock::Moment,
};

/// What one beat found.
pub(crate) enum Beaten {
    /// The claim is held and fresh.
    Kept(Claim),
    /// It was gone and has been taken again.
    Retaken(Claim),
    /// Another has it.
    Lost(Refusal, Timestamp),
    /// It could not be beaten, this time.
    Failed(String),
    /// It could not be beaten for so long that the command has to end.
    Expired(String),
    /// The run is over; nothing was done.
    Over,
}

/// The thread, as seen from the outside.
pub(crate) struct Keeper {
    shared: Arc<Shared>,
    nudges: mpsc::Sender<()>,
    /// The beat that hung at the last tick, and for how many ticks it has.
    hung: (u64, u32),
}

struct Shared {
    over: AtomicBool,
    state: Mutex<State>,
}

#[derive(Clone, Copy)]
struct State {
    rhythm: Rhythm,
    /// When the last beat that went well began.
    good: Moment,
    /// How many beats have begun.
    begun: u64,
    /// Whether the last one has not come back.
    under_way: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Keeper {
    /// Starts to beat a claim that was taken or joined at `since`. `beat` is told whether the run is over when it has the
    /// lock, and then does nothing.
    pub(crate) fn start(
        claim: &Claim,
        since: Moment,
        beat: impl Fn(&AtomicBool) -> Beaten + Send + 'static,
        tell: impl Fn(Beaten) + Send + 'static,
    ) -> std::io::Result<Self> {
        let state = State { rhythm: Rhythm::of(claim.time_to_live()), good: since, begun: 0, under_way: false };
        let shared = Arc::new(Shared { over: AtomicBool::new(false), state: Mutex::new(state) });
        let (nudges, nudged) = mpsc::channel();
        let inside = Arc::clone(&shared);
        thread::Builder::new().name("beats".to_owned()).spawn(move || keep(&inside, &nudged, &beat, &tell))?;
        Ok(Self { shared, nudges, hung: (0, 0) })
    }

    /// Time may have passed unnoticed: beat now.
    pub(crate) fn nudge(&self) {
        // It may have ended with what it told of.
        _ = self.nudges.send(());
    }

    /// How often [`Keeper::is_stuck`] wants to be asked.
    pub(crate) fn tick(&self) -> Duration {
        Duration::from_millis(self.shared.state().rhythm.tick)
    }

    /// How long the command has to end when its claim cannot be beaten.
    pub(crate) fn grace(&self) -> Duration {
        Duration::from_millis(self.shared.state().rhythm.grace)
    }

    /// Whether a beat hangs so long that the command has to end. Counted in ticks and not in time: a process that was
    /// stopped for an hour has not waited for an hour.
    pub(crate) fn is_stuck(&mut self) -> bool {
        let state = *self.shared.state();
        let hangs = state.under_way && state.good.was(state.rhythm.limit);
        self.hung = match self.hung {
            _ if !hangs => (state.begun, 0),
            (beat, ticks) if beat == state.begun => (beat, ticks.saturating_add(1)),
            _ => (state.begun, 1),
        };
        self.hung.1 >= PATIENCE
    }

    /// No beat changes anything from now on: one that is under way is waited for by whoever takes the lock next.
    pub(crate) fn stop(&self) {
        self.shared.over.store(true, Ordering::SeqCst);
        self.nudge();
    }
}

fn keep(shared: &Shared, nudged: &mpsc::Receiver<()>, beat: &dyn Fn(&AtomicBool) -> Beaten, tell: &dyn Fn(Beaten)) {
    let mut failed: Option<Moment> = None;
    loop {
        let State { rhythm, good, .. } = *shared.state();
        let nudge = match nudged.recv_timeout(Duration::from_millis(rhythm.tick)) {
            Ok(()) => true,
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        if shared.over.load(Ordering::SeqCst) {
            return;
        }
        let due = match failed {
            Some(failed) => failed.was(rhythm.retry),
            None => good.was(rhythm.interval) || good.is_ahead(),
        };
        if !due && !nudge {
            continue;
        }
        let began = Moment::now();
        {
            let mut state = shared.state();
            state.begun = state.begun.wrapping_add(1);
            state.under_way = true;
        }
        let beaten = beat(&shared.over);
        let mut state = shared.state();
        state.under_way = false;
        failed = None;
        match &beaten {
            Beaten::Kept(claim) | Beaten::Retaken(claim) => {
                state.good = began;
                state.rhythm = Rhythm::of(claim.time_to_live());
            }
            Beaten::Failed(message) => {
                failed = Some(Moment::now());
                if state.good.was(state.rhythm.limit) {
                    tell(Beaten::Expired(message.clone()));
                    return;
                }
            }
            Beaten::Lost(..) | Beaten::Over | Beaten::Expired(_) => {
                drop(state);
                tell(beaten);
                return;
            }
        }
        drop(state);
        tell(beaten);
    }
}
