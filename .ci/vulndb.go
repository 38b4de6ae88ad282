// Command vulndb makes of the files of golang.org/x/vulndb (data/osv) a database that govulncheck reads: the same files,
// and an index of the modules that they name.
package main

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"
)

type vuln struct {
	ID       string `json:"id"`
	Modified string `json:"modified"`
	Fixed    string `json:"fixed,omitempty"`
}

type module struct {
	Path  string `json:"path"`
	Vulns []vuln `json:"vulns"`
}

func main() {
	log.SetFlags(0)
	osv, to := os.Args[1], os.Args[2]
	must(os.CopyFS(filepath.Join(to, "ID"), os.DirFS(osv)))
	files, err := filepath.Glob(filepath.Join(osv, "*.json"))
	must(err)
	if len(files) == 0 {
		log.Fatalf("no vulnerabilities in %s", osv)
	}
	modules, newest := map[string]*module{}, ""
	for _, file := range files {
		add(file, modules, &newest)
	}
	var all []*module
	for _, m := range modules {
		all = append(all, m)
	}
	must(os.Mkdir(filepath.Join(to, "index"), 0o755))
	write(filepath.Join(to, "index", "modules.json"), all)
	write(filepath.Join(to, "index", "db.json"), map[string]string{"modified": newest})
}

// add puts what a file says of its modules into the index.
func add(file string, modules map[string]*module, newest *string) {
	var entry struct {
		vuln
		Affected []struct {
			Package struct{ Name string }
			Ranges  []struct{ Events []struct{ Fixed string } }
		}
	}
	raw, err := os.ReadFile(file)
	must(err)
	must(json.Unmarshal(raw, &entry))
	*newest = max(*newest, entry.Modified)
	for _, a := range entry.Affected {
		v := entry.vuln
		for _, r := range a.Ranges {
			for _, e := range r.Events {
				if e.Fixed != "" {
					v.Fixed = e.Fixed // the last one, as events are in order
				}
			}
		}
		m := modules[a.Package.Name]
		if m == nil {
			m = &module{Path: a.Package.Name}
			modules[m.Path] = m
		}
		m.Vulns = append(m.Vulns, v)
	}
}

func write(path string, v any) {
	raw, err := json.Marshal(v)
	must(err)
	must(os.WriteFile(path, raw, 0o644))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
