package transcript

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/usage"
)

// A meter adds up the lines of one transcript. The zero meter has seen none.
type meter struct {
	sum  usage.Sum
	last string    // id of the newest answer; each part of it has a line with its usage so far
	part usage.Sum // usage of that answer
	at   time.Time // of that answer
	// slots holds what the answers before it cost, by the usage.Slot that they fall into; nil
	// to leave that out.
	slots map[time.Time]float64
}

// total returns what the lines say.
func (m *meter) total() usage.Sum { return m.sum.Plus(m.part) }

// usageMark occurs in each line that says what an answer used.
var usageMark = []byte(`"usage"`)

// record holds the fields of a line that a meter reads.
type record struct {
	Type    string    `json:"type"`
	At      time.Time `json:"timestamp"`
	Message struct {
		ID    string `json:"id"`
		Model string `json:"model"`
		Usage *struct {
			Input      int64 `json:"input_tokens"`
			Output     int64 `json:"output_tokens"`
			CacheRead  int64 `json:"cache_read_input_tokens"`
			CacheWrite int64 `json:"cache_creation_input_tokens"`
			Kept       struct {
				Hour int64 `json:"ephemeral_1h_input_tokens"`
			} `json:"cache_creation"`
		} `json:"usage"`
	} `json:"message"`
}

// add takes one line. It ignores a line that is not an answer of the model, or not JSON.
func (m *meter) add(line []byte) {
	if !bytes.Contains(line, usageMark) {
		return
	}
	var r record
	if json.Unmarshal(line, &r) != nil || !r.isAnswer() {
		return
	}
	cost := r.cost()
	if r.Message.ID == "" || r.Message.ID != m.last {
		m.end()
		m.last, m.part, m.at = r.Message.ID, cost, r.At
		return
	}
	m.part = usage.Sum{Tokens: max(m.part.Tokens, cost.Tokens), USD: max(m.part.USD, cost.USD)}
}

// end books the newest answer.
func (m *meter) end() {
	m.sum = m.total()
	if m.slots != nil && m.part.USD > 0 {
		m.slots[m.at.Truncate(usage.Slot)] += m.part.USD
	}
	m.part = usage.Sum{}
}

// isAnswer reports whether the line is an answer of the model, with its usage.
func (r record) isAnswer() bool { return r.Type == "assistant" && r.Message.Usage != nil }

func (r record) cost() usage.Sum {
	u := r.Message.Usage
	return usage.Cost(r.Message.Model, usage.Tokens{
		Input:      u.Input,
		Output:     u.Output,
		CacheRead:  u.CacheRead,
		CacheWrite: u.CacheWrite,
		CacheHour:  u.Kept.Hour,
	})
}
