package plan

import (
	"reflect"
	"strings"
)

// Effect is what a plan comes to, in one word.
type Effect string

// The effects.
const (
	Creates   Effect = "create"
	Changes   Effect = "change"
	Drops     Effect = "drop"
	Unchanged Effect = "unchanged" // nothing is to be done, at home or outside
	AtHome    Effect = "home"      // the home database alone carries it out, and knows what it comes to
)

// EffectOf tells what a plan comes to on what the live systems show. Where it cannot be told, since a system
// did not answer or only home can say whether the statement is wrong, something is taken to be done.
func EffectOf(p *Plan, extra Extra) Effect {
	switch {
	case p.HomeAlone:
		return AtHome
	case idle(p, extra):
		return Unchanged
	case strings.HasPrefix(p.Tag, "DROP "):
		return Drops
	case creates(p):
		return Creates
	default:
		return Changes
	}
}

func creates(p *Plan) bool {
	for _, s := range p.Steps {
		switch s.Action {
		case Create, Ensure:
			return true
		case Open:
			return p.TargetUID == "absent" // else a catalog is given other options
		case Alter, Drop:
		}
	}
	return false
}

// idle tells whether nothing is to be done.
func idle(p *Plan, extra Extra) bool {
	if p.Discover != nil {
		return false // what the system holds is read, whatever it is
	}
	if len(p.Steps) == 0 {
		// Without a shadow to change, a statement that waits is one of IF [NOT] EXISTS, and home says so.
		again := p.Tag == "COMMENT" && p.Relation != 0 && p.Shadow.Empty() // a comment that is there
		return !p.Record && (p.Unchanged || again || p.Waits && p.Relation == 0)
	}
	for _, s := range p.Steps {
		seen := extra.Steps[s.ID].Observed
		same := p.Unchanged || s.Before != nil && p.Shadow.Empty() && reflect.DeepEqual(*s.Before, s.Target.Table)
		if s.Action != Alter || s.Renames() || !same || seen == nil || seen.Error != "" || !seen.Exists || !seen.UpToDate {
			return false
		}
	}
	return true
}

// Renames tells whether the step gives the object, or a column of it, another name.
func (s Step) Renames() bool { return len(s.Target.Renames) > 0 || s.Target.NewPath != nil }
