package hooks

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/afar-sh/afar/coordinator/wire"
)

// TestReplies: hooks read each field of a reply that the coordinator writes.
func TestReplies(t *testing.T) {
	readsAll[wire.AskState](t)
	readsAll[wire.BatchReply](t)
	readsAll[wire.CheckReply](t)
	readsAll[wire.ErrandWaitReply](t)
	readsAll[wire.ExpandReply](t)
	readsAll[wire.GuardedReply](t)
	readsAll[wire.MessageTakeReply](t)
	readsAll[wire.PromptReply](t)
	readsAll[wire.RewakeReply](t)
	readsAll[wire.SessionStartReply](t)
	readsAll[wire.StopReply](t)
	readsAll[wire.SubagentStartReply](t)
	readsAll[wire.SubagentStopReply](t)
	readsAll[wire.TurnReply](t)
	readsAll[wire.UndoTakeReply](t)
}

func readsAll[Reply any](t *testing.T) {
	t.Helper()
	var want Reply
	fillIn(t, reflect.ValueOf(&want).Elem())
	body, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got, none Reply
	err = readReply(wire.Reply{V: wire.Version, Body: body}.Line(), &got)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("of %s: %+v, %v", body, got, err)
	}
	err = readReply(wire.Reply{V: wire.Version}.Line(), &none)
	if err != nil || !reflect.ValueOf(none).IsZero() {
		t.Errorf("of a reply that says nothing: %+v, %v", none, err)
	}
}

// fillIn gives each field of v a value other than zero.
func fillIn(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString("x\n\"ü")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillIn(t, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillIn(t, v.Index(1))
	case reflect.Struct:
		for i := range v.NumField() {
			fillIn(t, v.Field(i))
		}
	default:
		t.Fatalf("a field is a %s", v.Kind())
	}
}
