// SPDX-License-Identifier: Apache-2.0

package decide

import (
	"time"
)

// patience is how long a run waits for a pod of its Job to be made before it is given up.
const patience = 2 * time.Minute

// brief is how long a run waits, or a command runs, before the status says so: most are over by
// then, and every write of a status costs the API server something.
const brief = 3 * time.Second

// glance is how soon a pod is looked at again that is being deleted: its runner leaves its report in
// the log for some seconds.
const glance = time.Second

// lateness is how much later than its start window a pod is given up: clocks differ.
const lateness = time.Minute

// rule decides, or leaves the decision to the rules after it.
type rule struct {
	name  string
	apply func(*Observation, *Decision) bool
}

// rules is the specification: the first rule that applies decides. A run under way comes to its end
// before anything new begins.
var rules = []rule{
	// Nothing is begun for a resource that is being deleted, and nothing of it is held.
	{"LetGoOfTheDeleted", letGoOfTheDeleted},
	// Nor is anything held of an earlier resource of the same name.
	{"LetGoOfThePredecessor", letGoOfThePredecessor},
	// A run under way whose Job's name is another's object can't go on.
	{"EndWhereTheNameIsTaken", endWhereTheNameIsTaken},
	// A run that nobody wants any more, and that has no pod yet, is none: the newest spec runs.
	{"DropTheUnwanted", dropTheUnwanted},
	// A queued run that has no Job yet is held when its resource is suspended.
	{"HoldTheQueued", holdTheQueued},
	// Where only so many runs of a namespace may be under way, the others wait.
	{"WaitForATurn", waitForATurn},
	// The first of a run is its Job, whose name makes it the only one.
	{"MakeTheJob", makeTheJob},
	// The pod that may execute is chosen once, and written down before it is let go.
	{"ChooseThePod", chooseThePod},
	// A run whose pod has ended, or is gone, has ended.
	{"RecordTheEnd", recordTheEnd},
	// So has one that was given up for lost, and whose node is back.
	{"CorrectTheLost", correctTheLost},
	// A run that was cancelled is stopped, and one that nobody wants any more isn't let go: its pod says
	// how it ends.
	{"StopTheUnwanted", stopTheUnwanted},
	// The chosen pod, and no other, is let go.
	{"LetGoOfTheChosen", letGoOfTheChosen},
	// A pod that never comes is given up, and one that comes to nothing.
	{"GiveUpTheLate", giveUpTheLate},
	// A run under way is waited for.
	{"Wait", wait},
	// The pods of runs that have ended are kept no longer.
	{"ReleaseTheEnded", releaseTheEnded},
	// Nor are those that will never be let go, with their Jobs.
	{"DeleteTheLeftOver", deleteTheLeftOver},
	// A run that provably never started is tried again, or one that may be, when its time has come.
	{"TryAgain", tryAgain},
	// A spec that was run already is not run again, unless its interval has passed.
	{"LeaveTheSame", leaveTheSame},
	// What can't be run is said so.
	{"RefuseTheInvalid", refuseTheInvalid},
	// What is suspended waits.
	{"HoldTheSuspended", holdTheSuspended},
	// What is seen for the first time waits until it is asked for, where the operator is told so.
	{"HoldTheNew", holdTheNew},
	// Everything else is run.
	{"Begin", begin},
}

// Decide says what the observed resource needs next.
func Decide(o *Observation) Decision {
	d := Decision{Status: *o.Status.DeepCopy()}
	for _, r := range rules {
		if r.apply(o, &d) {
			d.Rule = r.name
			return d
		}
	}
	panic("no rule applies, although the last one always does")
}
