package config

import "testing"

func TestMemoryProjects(t *testing.T) {
	m := Memory{Projects: []string{"/src/api", "~/notes/"}}
	if err := m.check(); err != nil {
		t.Error(err)
	}
	for project, want := range map[string]bool{
		"/src/api": true, "/src/api/web": true, "/home/ann/notes": true, "/home/ann/notes/x": true,
		"/src": false, "/src/api2": false, "/home/ann": false, "/": false, "": false,
	} {
		if have := m.Names(project, "/home/ann"); have != want {
			t.Errorf("%s: %v, want %v", project, have, want)
		}
	}
	if err := (Memory{Projects: []string{"notes"}}).check(); err == nil {
		t.Error("a relative path is accepted")
	}
}
