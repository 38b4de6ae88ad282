package wire_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/afar-sh/afar/coordinator/wire"
)

// encoded are the structs that hooks encode.
var encoded = []any{
	wire.AskClaimRequest{}, wire.AskEndedRequest{}, wire.AskOpenRequest{}, wire.AskWaitRequest{},
	wire.BatchRequest{}, wire.CheckInOverRequest{}, wire.CheckRequest{}, wire.ConfigRefusedRequest{},
	wire.ConsultsRequest{}, wire.DebugRequest{}, wire.ErrandWaitRequest{}, wire.ExpandRequest{},
	wire.GuardedRequest{}, wire.HookLine{}, wire.MessageTakeRequest{}, wire.NotificationRequest{},
	wire.OutcomeRequest{}, wire.ParkedWaitRequest{}, wire.None{}, wire.PreCompactRequest{},
	wire.PrintedRequest{}, wire.PromptRequest{}, wire.RetryRequest{}, wire.RewakeRequest{},
	wire.SessionEndRequest{}, wire.SessionStartRequest{}, wire.StopFailureRequest{}, wire.StopRequest{},
	wire.SubagentStartRequest{}, wire.SubagentStopRequest{}, wire.TurnRequest{}, wire.UndoTakeRequest{},
}

// TestEncode: Encode writes the same as encoding/json, for empty and for full structs.
func TestEncode(t *testing.T) {
	for _, empty := range encoded {
		full := reflect.New(reflect.TypeOf(empty)).Elem()
		fill(t, full)
		for _, v := range []any{empty, full.Interface()} {
			want, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			if have := wire.Encode(v); !reflect.DeepEqual(decoded(t, have), decoded(t, want)) {
				t.Errorf("%T:\nhave %s\nwant %s", v, have, want)
			}
		}
	}
}

// fill gives each field of a struct a value that is not its zero value.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Interface().(type) {
	case wire.Raw:
		v.SetBytes([]byte(`{"a":1}`))
		return
	case []string:
		v.Set(reflect.ValueOf([]string{"", "ü"}))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.String:
		v.SetString("a \"b\" \n")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(-7)
	default:
		t.Fatalf("%s: no value for it", v.Type())
	}
}
