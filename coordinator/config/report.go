package config

// Report is the table [report].
type Report struct {
	// Daily is when the morning message comes, by the clock of quiet.zone; without it none comes.
	Daily Clock `toml:"daily"`
}
