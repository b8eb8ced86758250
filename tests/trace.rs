//! The trace: one line for every action, names and numbers only, whatever becomes of its file.

mod logged;
mod spoilt;
mod written;
