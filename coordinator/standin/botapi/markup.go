package botapi

import (
	"encoding/json"
)

const (
	maxButtons      = 100
	maxCallbackData = 64
)

// keyboardOf reads a reply_markup parameter; an empty or absent one is none.
func keyboardOf(raw string) ([][]Button, error) {
	if raw == "" {
		return nil, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(raw), &fields); err != nil {
		return nil, badRequest("can't parse reply keyboard markup JSON object")
	}
	rows, ok := fields["inline_keyboard"]
	if !ok {
		return otherMarkup(fields)
	}
	var cells [][]json.RawMessage
	if err := json.Unmarshal(rows, &cells); err != nil {
		return nil, badRequest(`can't parse inline keyboard: field "inline_keyboard" must be an Array of Arrays`)
	}
	return keyboard(cells)
}

// otherMarkup accepts the reply keyboards, which the stand-in does not show.
func otherMarkup(fields map[string]json.RawMessage) ([][]Button, error) {
	for _, name := range []string{"keyboard", "remove_keyboard", "force_reply"} {
		if _, ok := fields[name]; ok {
			return nil, nil
		}
	}
	if len(fields) == 0 {
		return nil, nil
	}
	return nil, badRequest("object expected as reply markup")
}

func keyboard(cells [][]json.RawMessage) ([][]Button, error) {
	var rows [][]Button
	count := 0
	for _, cell := range cells {
		var row []Button
		for _, raw := range cell {
			b, err := button(raw)
			if err != nil {
				return nil, err
			}
			row = append(row, b)
		}
		if count += len(row); len(row) > 0 {
			rows = append(rows, row)
		}
	}
	if count > maxButtons {
		return nil, badRequest("reply markup is too long")
	}
	return rows, nil
}

func button(raw json.RawMessage) (Button, error) {
	var in struct {
		Text *string `json:"text"`
		URL  *string `json:"url"`
		Data *string `json:"callback_data"`
		// Clients send it empty, and then it means nothing.
		Copy struct {
			Text string `json:"text"`
		} `json:"copy_text"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return Button{}, badRequest("can't parse inline keyboard button: %v", err)
	}
	switch {
	case in.Text == nil:
		return Button{}, badRequest(`can't parse inline keyboard button: Can't find field "text"`)
	case *in.Text == "":
		return Button{}, badRequest("inline keyboard button text must be non-empty")
	case in.URL != nil:
		return linkButton(*in.Text, *in.URL)
	case in.Data != nil:
		return dataButton(*in.Text, *in.Data)
	case in.Copy.Text != "":
		return Button{}, badRequest("the stand-in knows no copy_text buttons")
	}
	return Button{}, badRequest("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
}

func linkButton(label, address string) (Button, error) {
	url, ok := checkLink(address)
	if !ok {
		return Button{}, badRequest("inline keyboard button URL '%s' is invalid: Wrong HTTP URL", address)
	}
	return Button{Label: label, URL: url}, nil
}

func dataButton(label, data string) (Button, error) {
	if len(data) == 0 || len(data) > maxCallbackData {
		return Button{}, badRequest("BUTTON_DATA_INVALID")
	}
	return Button{Label: label, Data: data}, nil
}
