package wire

// A Wall is what the kernel lets a program, and all that it starts, read and write.
type Wall struct {
	Mode    string    `json:"mode"`              // on, strict or off
	ABI     int       `json:"abi"`               // the level of Landlock, 0 for none
	Missing string    `json:"missing,omitempty"` // why no wall can stand here, in words
	Write   []WallRow `json:"write"`             // all that can be written
	// Read is all that can be read in strict mode, besides Write; otherwise it is what can be read in Hidden.
	Read   []WallRow `json:"read"`
	Hidden []WallRow `json:"hidden"` // cannot be read
	Closed []WallRow `json:"closed"` // cannot be written, where Write has it inside
	Gaps   []string  `json:"gaps"`   // what it does not stop, in words
}

// A WallRow is a path, and why it is in a table.
type WallRow struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Stands reports whether there is a wall.
func (w Wall) Stands() bool { return w.Missing == "" && w.Mode != "" && w.Mode != "off" }

// WallSettings are what the person decides about walls, and for one run.
type WallSettings struct {
	Mode  string   `json:"mode"` // on, strict or off; "" is off
	Write []string `json:"write,omitempty"`
	Read  []string `json:"read,omitempty"`
	Hide  []string `json:"hide,omitempty"`
}
