package store

import (
	_ "embed"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/topic"
)

//go:embed post.sql
var postSchema string

// Posted is how much stands in a topic.
type Posted struct {
	Topic string
	Posts int64
	At    time.Time // of the newest
}

func putPosts(tx writer, b *Batch) error {
	for i := range b.Posts {
		p := &b.Posts[i]
		res, err := tx.Exec(`INSERT INTO posts (topic, at, who, text) VALUES (?, ?, ?, ?)`, p.Topic, p.At.UnixMilli(), p.By, p.Text)
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
	rows, err := s.db.Query(`SELECT seq, topic, at, who, text FROM (
		SELECT * FROM posts WHERE topic = ? AND seq > ? ORDER BY seq `+order+` LIMIT ?) ORDER BY seq`, name, after, limit)
	if err != nil {
		return nil, fmt.Errorf("read posts: %w", err)
	}
	defer rows.Close()
	var out []topic.Post
	for rows.Next() {
		var p topic.Post
		var at int64
		if err := rows.Scan(&p.Seq, &p.Topic, &at, &p.By, &p.Text); err != nil {
			return nil, fmt.Errorf("read posts: %w", err)
		}
		p.At = time.UnixMilli(at)
		out = append(out, p)
	}
	return out, rows.Err()
}

// Topics returns all topics that were posted to, the one with the newest post first.
func (s *Store) Topics() ([]Posted, error) {
	rows, err := s.db.Query(`SELECT topic, count(*), max(at) FROM posts GROUP BY topic ORDER BY max(seq) DESC`)
	if err != nil {
		return nil, fmt.Errorf("read topics: %w", err)
	}
	defer rows.Close()
	var out []Posted
	for rows.Next() {
		var t Posted
		var at int64
		if err := rows.Scan(&t.Topic, &t.Posts, &at); err != nil {
			return nil, fmt.Errorf("read topics: %w", err)
		}
		t.At = time.UnixMilli(at)
		out = append(out, t)
	}
	return out, rows.Err()
}
