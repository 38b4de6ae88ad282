package telegram

import "testing"

// TestCallbacksOnPhones checks the encoded forms that are on phones already. None of them may
// change.
func TestCallbacksOnPhones(t *testing.T) {
	tests := []struct {
		data string
		want callback
	}{
		{"a:0123456789abcdef:y", callback{answerAsk, "0123456789abcdef", "y"}},
		{"a:n1:n", callback{answerAsk, "n1", "n"}},
		{"a:n1:s", callback{answerAsk, "n1", "s"}},
		{"a:n1:w", callback{answerAsk, "n1", "w"}},
		{"o:n1:0:2", callback{pickOption, "n1", "0:2"}},
		{"o:n1:3:d", callback{pickOption, "n1", "3:d"}},
		{"p:n1:y", callback{approvePlan, "n1", "y"}},
		{"p:n1:e", callback{approvePlan, "n1", "e"}},
		{"g:n1:r", callback{revokeGrant, "n1", "r"}},
		{"u:n1:u", callback{takeBack, "n1", "u"}},
		{"u:n1:w", callback{takeBack, "n1", "w"}},
		{"to:n1:api-1a2b", callback{chooseSession, "n1", "api-1a2b"}},
		{"suggestion:tax:accept", callback{"suggestion", "tax", "accept"}},
		{"trigger:morning:on", callback{"trigger", "morning", "on"}},
		{"task:taxes:show", callback{ofTask, "taxes", showTask}},
		{"as:n1:n2", callback{chooseAsk, "n1", "n2"}},
		{"as:n1:", callback{chooseAsk, "n1", ""}},
	}
	for _, test := range tests {
		got, ok := parseCallback(test.data)
		if !ok || got != test.want || got.String() != test.data {
			t.Errorf("%q is %+v, %t; want %+v", test.data, got, ok, test.want)
		}
	}
}

// TestCallbacksRefused checks that data that Afar never sent is refused.
func TestCallbacksRefused(t *testing.T) {
	for _, data := range []string{
		"", ":", "::", "a", "a:n1", "a::y", "a:n1:z", "a:n1:y:y", "a:n1:", "b:n1:y", "A:n1:y",
		"o:n1:0", "o:n1:0:", "o:n1:-1:0", "o:n1:0:-1", "o:n1:x:0", "o::0:0", "o:n1:0:0:0", "o:n1:01:0", "o:n1:+1:d",
		"o:n1:99999999999999999999:0", "p:n1:n", "g:n1:y", "u:n1:", "u::u", "to:n1:", "to::api-1a2b",
		"as::n2", "as:n1:n2:n3",
	} {
		if c, ok := parseCallback(data); ok {
			t.Errorf("%q is understood as %+v", data, c)
		}
	}
}

func FuzzCallback(f *testing.F) {
	for _, data := range []string{"a:n1:y", "o:n1:0:d", "o:n1:1:2", "to:n1:a:b", "as:n1:", "u::u", "::", ""} {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data string) {
		c, ok := parseCallback(data)
		if ok && (c.nonce == "" || c.String() != data) {
			t.Errorf("%q is understood as %+v", data, c)
		}
		if pick, picks := c.pick(); ok && c.kind == pickOption && (!picks || pick == nil) {
			t.Errorf("%q picks nothing", data)
		}
	})
}
