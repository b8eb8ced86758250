//! `claim audit`: a checker that believes nothing, run on traces and places that the program itself has left.

mod forged;
mod place;
mod random;
