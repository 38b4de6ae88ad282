package session

// maxNotices bounds how many lines wait for a session's terminal. The oldest is
// dropped; the journal has them all.
const maxNotices = 5

// TellPerson returns s with one more line for its terminal.
func TellPerson(s Session, text string) Session {
	kept := s.Notices[max(0, len(s.Notices)-maxNotices+1):]
	s.Notices = append(append([]string{}, kept...), text)
	return s
}
