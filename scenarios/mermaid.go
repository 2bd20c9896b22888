package scenarios

import (
	"fmt"
	"strings"

	"zoosim/checker"
)

// Mermaid is the story as a Mermaid sequence diagram: requests and replies are
// messages between a client and the server, everything else is a note. A
// request is drawn when it is served, a reply or an event when it arrives.
func (s *Story) Mermaid() []string {
	lines := []string{"sequenceDiagram", "    title " + mermaidText(s.Title)}
	for _, who := range s.participants() {
		lines = append(lines, "    participant "+who)
	}
	for i := range s.Lines {
		lines = append(lines, s.Lines[i].mermaid(s.serves())...)
	}
	return append(lines, "    Note over "+s.across()+": "+mermaidText(s.Verdict))
}

// serves is the server of the story, or the store in its place.
func (s *Story) serves() string {
	if s.onStore {
		return actorStore
	}
	return actorServer
}

// participants are the clients of the story in order, then the server and, if
// it takes part, the resource.
func (s *Story) participants() []string {
	seen := map[string]bool{}
	for i := range s.Lines {
		seen[s.Lines[i].Actor] = true
	}
	var names []string
	for i := range s.clients {
		if name := checker.ClientName(i); seen[name] {
			names = append(names, name)
		}
	}
	names = append(names, s.serves())
	if seen[actorResource] {
		names = append(names, actorResource)
	}
	return names
}

// across names the first and the last participant, between which a note
// stands.
func (s *Story) across() string {
	ps := s.participants()
	if len(ps) == 1 {
		return ps[0]
	}
	return ps[0] + "," + ps[len(ps)-1]
}

// mermaid is a line of the story in the diagram.
func (l *StoryLine) mermaid(server string) []string {
	number := ""
	if l.N > 0 {
		number = fmt.Sprintf("%d ", l.N)
	}
	over := l.Actor
	if over == actorFault {
		over = server
	}
	note := func(text string) string { return "    Note over " + over + ": " + mermaidText(text) }
	if l.arrow.from == "" {
		return []string{note(number + l.noted())}
	}
	lines := []string{fmt.Sprintf("    %s%s%s: %s", l.arrow.from, l.arrow.style, l.arrow.to, mermaidText(number+l.arrow.text))}
	if len(l.arrow.notes) > 0 {
		lines = append(lines, note(strings.Join(l.arrow.notes, ", ")))
	}
	return lines
}

// noted is the text of a line that is a note.
func (l *StoryLine) noted() string {
	if l.Actor == actorFault {
		return "fault, " + l.Text
	}
	return l.Text
}

// mermaidText is a text without what Mermaid takes for its own.
func mermaidText(s string) string {
	return strings.NewReplacer(";", ",", "#", "no. ", "\n", " ").Replace(s)
}
