package web

import (
	"context"
	"net/http"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/wire"
)

// livePath is where a page reads what changes.
const livePath = "/live"

// handler returns the whole surface of the page. All but the first three routes are for
// browsers that are signed in; the tools are for agents and not for browsers. Every other POST
// is a decision of the person.
func (c *Channel) handler() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /static/", c.static)
	m.HandleFunc("GET /signin/{code}", c.signIn)
	if c.cfg.Tools != nil {
		m.Handle("GET "+wire.ToolsPath, c.cfg.Tools)
		m.Handle("POST "+wire.ToolsPath, c.cfg.Tools)
	}
	m.HandleFunc("GET "+livePath, c.signedIn(c.live))
	m.HandleFunc("GET /task/{slug}/file/{path...}", c.signedIn(c.taskFile))
	m.HandleFunc("GET /module/{name}/file/{path...}", c.signedIn(c.moduleFile))
	m.HandleFunc("GET /", c.signedIn(c.showView))
	for route, take := range map[string]form{
		"/ask/{id}":               answerForm,
		"/session/{token}/send":   sendForm,
		"/session/{token}/stop":   stopForm,
		"/session/{token}/away":   awayForm,
		"/session/{token}/cancel": cancelForm,
		"/send":                   sendToForm,
		"/runs/start":             startRunForm,
		"/run/{name}/send":        sendRunForm,
		"/run/{name}/stop":        stopRunForm,
		"/run/{name}/remove":      removeRunForm,
		"/tasks/new":              newTaskForm,
		"/task/{slug}/send":       sendTaskForm,
		"/task/{slug}/edit":       editTaskForm,
		"/memory/add":             addFactForm,
		"/fact/{name}/edit":       editFactForm,
		"/fact/{name}/forget":     forgetForm,
		"/away":                   awayForm,
		"/pause":                  pauseForm,
		"/resume":                 resumeForm,
		"/grant/{id}/revoke":      revokeForm,
		"/undo/{id}":              undoForm,
		"/browser/{id}/end":       endForm,
		"/telegram/pair":          pairForm,
		"/settings":               settingsForm,
	} {
		m.HandleFunc("POST "+route, c.signedIn(c.take(take)))
	}
	for _, noun := range nouns() {
		m.HandleFunc("POST /"+noun.Name+"/{id}/do", c.signedIn(c.take(does(noun))))
	}
	outer := http.NewServeMux()
	outer.Handle("/", c.secure(m))
	if c.cfg.Hooks != nil { // they come from elsewhere and prove it by themselves
		outer.Handle("/hook/", c.cfg.Hooks)
	}
	return outer
}

// viewers returns the pages. Each handler leaves its view in the query of the
// request's context: a stream renders the same pages without a browser.
func (c *Channel) viewers() *http.ServeMux {
	m := http.NewServeMux()
	pages := c.pageViewers()
	for _, noun := range nouns() { // as it is shown everywhere, where it has no page of its own
		list, one := "/"+noun.Name+"s", "/"+noun.Name+"/{id}"
		if pages[list] == nil {
			pages[list] = lists(noun)
		}
		if pages[one] == nil && noun.Read != nil {
			pages[one] = shows(noun)
		}
	}
	for route, view := range pages {
		m.HandleFunc("GET "+route, func(_ http.ResponseWriter, r *http.Request) {
			q := r.Context().Value(queryKey{}).(*query)
			q.Request = r
			q.view, q.err = view(q)
		})
	}
	return m
}

// pageViewers returns the pages with more than a noun.
func (c *Channel) pageViewers() map[string]viewer {
	return map[string]viewer{
		"/{$}":                  c.now,
		"/sessions":             c.sessions,
		"/session/{token}":      c.session,
		"/runs":                 c.runs,
		"/run/{name}":           c.run,
		"/run/{name}/event/{n}": c.runEvent,
		"/triggers":             c.triggers,
		"/trigger/{id}":         c.trigger,
		"/module/{id}":          c.module,
		"/module/{id}/enable":   c.enableModule,
		"/tasks":                c.tasks,
		"/tasks/archived":       c.archivedTasks,
		"/task/{id}":            c.task,
		"/task/{id}/edit":       c.editTask,
		"/memory":               c.memory,
		"/memory/archive":       c.archivedFacts,
		"/fact/{name}":          c.fact,
		"/fact/{name}/edit":     c.editFact,
		"/journal":              c.journal,
		"/inbox":                c.inbox,
		"/loops":                c.loops,
		"/questions":            c.questions,
		"/question/{id}":        c.question,
		"/guard":                c.guard,
		"/report":               c.report,
		"/settings":             c.settings,
		"/":                     func(*query) (page.View, error) { return nil, errNoPage },
	}
}

type queryKey struct{}

// viewOf returns the page that a query names.
func (c *Channel) viewOf(q *query) (page.View, error) {
	c.views.ServeHTTP(nil, q.Request.WithContext(context.WithValue(q.Request.Context(), queryKey{}, q)))
	return q.view, q.err
}
