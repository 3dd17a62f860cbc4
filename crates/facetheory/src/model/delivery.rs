//! What happens when a request arrives, and what the admin, the sweep and time do to rows and bodies.

use super::law;
use super::recipe::{Attempt, Recipe};
use super::rows::View;
use super::server::Answer;
use super::sight::Sight;
use super::state::{Body, State};
use super::world::World;
use crate::meta::transaction::{claim, publish, purge};

impl World {
    /// Performs a request that arrives, unless the service knows by its token that it is done already.
    ///
    /// One that changes nothing and tells nobody anything is no step: it may as well arrive later.
    pub(super) fn deliver(&self, state: &mut State, recipe: Recipe, answered: bool) -> bool {
        let (rows, workers, admin) = (state.rows, state.workers.clone(), state.admin);
        let breaches = state.breaches;
        let arrives = |message: &super::state::Message| {
            message.recipe == recipe && self.scenario.arrives(message.sent, state.time)
        };
        let place = state.network.iter().position(arrives).expect("what is delivered is on its way");
        state.network.remove(place);
        let token = recipe.token_bit().filter(|_| self.scenario.conduct.sends_tokens).unwrap_or(0);
        let answer = if state.remembered & token == 0 {
            self.perform(state, recipe, token)
        } else {
            self.sights.see(Sight::Recognised);
            Answer::Done
        };
        if answered {
            self.receive(state, recipe, answer);
            self.receive_purge(state, recipe, answer);
        }
        let answer_matters = state.workers != workers || state.admin != admin;
        state.rows != rows || answer_matters || state.breaches != breaches
    }

    fn perform(&self, state: &mut State, recipe: Recipe, token: u32) -> Answer {
        let (rows, answer) = self.server.apply(state.rows, recipe);
        let (before, after) = (self.server.view(state.rows), self.server.view(rows));
        self.witness(state, recipe, &before, answer);
        law::judge(state, recipe, &before, &after, answer);
        state.rows = rows;
        if answer == Answer::Done {
            state.remembered |= token;
            state.purges += u8::from(matches!(recipe, Recipe::Purge { .. } | Recipe::Show { .. }));
        }
        answer
    }

    /// Counts what the model must have seen.
    fn witness(&self, state: &State, recipe: Recipe, before: &View, answer: Answer) {
        let waits = |recipe| state.workers.iter().any(|worker| worker.phase.waits_for() == Some(recipe));
        let holder = before.lock.and_then(|lock| lock.holder);
        match (recipe, answer) {
            (Recipe::Publish(publish), Answer::Done) => {
                self.sights.see(Sight::Published);
                publish.request.into_iter().for_each(|_| self.sights.see(Sight::Completed));
            }
            (Recipe::Publish(_), Answer::Refused(places)) => {
                self.see_if(places & (1 << publish::EPOCH) != 0, Sight::PurgeMetRender);
                self.see_if(places & (1 << publish::LOCK) != 0, Sight::LeaseLost);
                self.see_if(places == 1 << (publish::EPOCH + 1), Sight::IntentLost);
            }
            (Recipe::Acquire(term) | Recipe::Claim { term, .. }, Answer::Done) => {
                let other = holder.is_some_and(|holder| holder != term.attempt);
                self.see_if(other, Sight::TakenOver);
                self.see_if(holder == Some(term.attempt) && waits(recipe), Sight::GrantedAgain);
                self.see_if(!waits(recipe), Sight::Ghost);
                let request = before.request.filter(|_| matches!(recipe, Recipe::Claim { .. }));
                self.see_if(request.is_some_and(|request| request.started), Sight::IntentTaken);
                self.see_if(request.is_some_and(|request| !request.started), Sight::IntentAgain);
            }
            (Recipe::Claim { hash, .. }, Answer::Refused(places)) => {
                let other = before.request.is_some_and(|request| request.hash != Some(hash));
                self.see_if(other && places == 1 << claim::REQUEST, Sight::HashRefused);
            }
            (Recipe::Acquire(term), Answer::Refused(_)) => {
                let ended = before.lock.is_some_and(|lock| lock.expires <= term.now);
                self.see_if(ended, Sight::Patience);
            }
            (Recipe::Refresh { .. }, Answer::Done) => self.sights.see(Sight::Renewed),
            (Recipe::Purge { .. }, Answer::Refused(places)) => {
                self.see_if(places == 1 << purge::META, Sight::PurgeMetPublish);
            }
            (Recipe::Show { .. }, Answer::Done) => self.sights.see(Sight::Shown),
            _ => {}
        }
    }

    fn see_if(&self, happened: bool, sight: Sight) {
        if happened {
            self.sights.see(sight);
        }
    }

    /// The admin reads whether there is metadata, and sends a purge that holds only then.
    pub(super) fn purge(&self, state: &mut State) {
        let number = state.admin.begun;
        state.admin.begun += 1;
        self.send_purge(state, number);
    }

    fn send_purge(&self, state: &mut State, number: u8) {
        let has_meta = self.server.view(state.rows).meta.is_some();
        let purge = Recipe::Purge { number, now: state.time + self.scenario.table_clock, has_meta };
        state.admin.waits = Some((purge, 1));
        state.send(purge, &self.scenario);
    }

    pub(super) fn resend_purge(&self, state: &mut State) {
        let Some((purge, sends)) = state.admin.waits else { return };
        state.admin.waits = Some((purge, sends + 1));
        state.send(purge, &self.scenario);
    }

    fn receive_purge(&self, state: &mut State, recipe: Recipe, answer: Answer) {
        if state.admin.waits.is_none_or(|(waited_for, _)| waited_for != recipe) {
            return;
        }
        match (recipe, answer) {
            (Recipe::Purge { number, .. }, Answer::Refused(_)) => self.send_purge(state, number),
            _ => state.admin.waits = None,
        }
    }

    /// Shows the version of an attempt again, if there is one that is not shown.
    pub(super) fn show(&self, state: &mut State, attempt: Attempt) -> bool {
        let view = self.server.view(state.rows);
        let Some(meta) = view.meta.filter(|meta| meta.body != attempt) else { return false };
        if view.versions & (1 << attempt) == 0 {
            return false;
        }
        let generation = meta.generation.map_or(1, |generation| generation + 1);
        state.admin.shown = true;
        let show = Recipe::Show { attempt, generation, seen: meta.generation, body: Some(meta.body) };
        state.send(show, &self.scenario);
        true
    }

    pub(super) fn sweep_look(&self, state: &mut State, attempt: Attempt) -> bool {
        let view = self.server.view(state.rows);
        let leased = view.lock.and_then(|lock| lock.holder) == Some(attempt);
        let spared = leased && self.scenario.sweep.is_some_and(|sweep| sweep.spares_lease);
        let named = spared || view.named & (1 << attempt) != 0;
        self.see_if(named, Sight::Spared);
        state.sweeping = Some(attempt).filter(|_| !named);
        !named
    }

    pub(super) fn sweep_delete(&self, state: &mut State) {
        if let Some(attempt) = state.sweeping.take() {
            state.trial(attempt).body = Body::Deleted;
            self.sights.see(Sight::Swept);
        }
    }

    pub(super) fn forget_lock(&self, state: &mut State) -> bool {
        let now = state.time + self.scenario.table_clock;
        let over = self.server.view(state.rows).lock.is_some_and(|lock| lock.ttl < now);
        self.see_if(over, Sight::LockForgotten);
        if over {
            state.rows = self.server.apply(state.rows, Recipe::ForgetLock).0;
        }
        over
    }

    pub(super) fn forget_request(&self, state: &mut State) -> bool {
        let now = state.time + self.scenario.table_clock;
        let request = self.server.view(state.rows).request.filter(|request| request.ttl < now);
        self.see_if(request.is_some_and(|request| request.started), Sight::IntentForgotten);
        if request.is_some() {
            state.rows = self.server.apply(state.rows, Recipe::ForgetRequest).0;
        }
        request.is_some()
    }

    /// The service forgets the token of a publish. Nobody waits for its answer then: senders give up long before.
    pub(super) fn forget_token(&self, state: &mut State, attempt: Attempt) -> bool {
        let waits = |recipe: Recipe| recipe.attempt() == Some(attempt);
        let waited_for = state.workers.iter().any(|worker| worker.phase.waits_for().is_some_and(waits));
        let bits = (1 << attempt) | (1 << (attempt + 8));
        let forgets = !waited_for && state.remembered & bits != 0;
        if forgets {
            state.remembered &= !bits;
        }
        forgets
    }
}
