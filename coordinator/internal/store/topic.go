package store

import (
	"database/sql"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/topic"
)

// Posted says how much was posted to a topic.
type Posted struct {
	Topic string
	Posts int64
	At    time.Time // of the newest
}

func putPosts(tx writer, b *Batch) error {
	for i := range b.Posts {
		p := &b.Posts[i]
		res, err := tx.Exec(`INSERT INTO posts (topic, at, who, text) VALUES (?, ?, ?, ?)`,
			p.Topic, p.At.UnixMilli(), p.By, p.Text)
		if err == nil {
			p.Seq, err = res.LastInsertId()
		}
		if err != nil {
			return fmt.Errorf("put post: %w", err)
		}
	}
	return nil
}

// Posts returns at most limit posts of a topic after seq, oldest first; with
// newest the last limit ones.
func (s *Store) Posts(name string, after int64, limit int, newest bool) ([]topic.Post, error) {
	order := "ASC"
	if newest {
		order = "DESC"
	}
	return collect(s, "posts", func(rows *sql.Rows, p *topic.Post) error {
		var at int64
		err := rows.Scan(&p.Seq, &p.Topic, &at, &p.By, &p.Text)
		p.At = time.UnixMilli(at)
		return err
	}, `SELECT seq, topic, at, who, text FROM (
		SELECT * FROM posts WHERE topic = ? AND seq > ? ORDER BY seq `+order+` LIMIT ?) ORDER BY seq`,
		name, after, limit)
}

// Topics returns all topics that were posted to, the one with the newest post first.
func (s *Store) Topics() ([]Posted, error) {
	return collect(s, "topics", func(rows *sql.Rows, t *Posted) error {
		var at int64
		err := rows.Scan(&t.Topic, &t.Posts, &at)
		t.At = time.UnixMilli(at)
		return err
	}, `SELECT topic, count(*), max(at) FROM posts GROUP BY topic ORDER BY max(seq) DESC`)
}
