// The page works without this script: every action is a form or a link. It keeps times counting, moves by keys,
// badges the title, notifies, and holds the stream of changes.
'use strict';
(() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // ---- a page that was opened from a link on another site comes without the strict cookie: load it again, once

  if (document.body.hasAttribute('data-reload')) {
    const mark = 'afar-reloaded', last = Number(sessionStorage.getItem(mark) || 0);
    if (Date.now() - last > 10000) {
      sessionStorage.setItem(mark, String(Date.now()));
      location.replace(location.href);
    }
    return;
  }

  // ---- times

  const ahead = Number(document.body.dataset.now) - Date.now(); // of this clock is the machine's
  const span = (ms) => {
    const s = Math.max(0, Math.floor(ms / 1000));
    if (s < 60) return s + 's';
    if (s < 3600) return Math.floor(s / 60) + 'm';
    if (s < 48 * 3600) return Math.floor(s / 3600) + 'h';
    return Math.floor(s / 86400) + 'd';
  };
  const words = (e, now) => {
    const d = e.dataset;
    if (d.since) return now - d.since < 1000 ? 'now' : span(now - d.since) + ' ago';
    if (d.age) return span(now - d.age);
    return d.until - now < 1000 ? 'now' : 'in ' + span(d.until - now);
  };
  const count = () => {
    if (document.hidden) return;
    const now = Date.now() + ahead;
    for (const e of all('time[data-since],time[data-age],time[data-until]')) {
      const text = words(e, now);
      if (e.textContent !== text) e.textContent = text;
    }
  };
  setInterval(count, 1000);

  // ---- the inbox: a line leads to its card (#ask-ID), and the style shows the card that is the target

  const wide = matchMedia('(min-width: 64rem)');
  const shownCard = () => one('.chosen > .card:target');
  const leads = (item) => item && one('a[href^="#ask-"]', item);
  const choose = (hash) => {
    const focus = document.activeElement, y = scrollY;
    location.replace(hash); // takes the focus away
    if (document.activeElement !== focus) focus.focus({preventScroll: true});
    scrollTo(scrollX, y);
    mark();
  };
  const mark = () => {
    const card = shownCard();
    if (one('.chosen') && !card) {
      const kept = /^#ask-/.test(location.hash) && document.getElementById(location.hash.slice(1));
      const first = wide.matches && (one('.lines > li:not(.closed) a[href^="#ask-"]') || one('.lines a[href^="#ask-"]'));
      if (kept || first) return choose(kept ? location.hash : first.hash);
    }
    for (const a of all('.lines a[href^="#ask-"]')) {
      if (card && a.hash === '#' + card.id) a.setAttribute('aria-current', 'true');
      else a.removeAttribute('aria-current');
    }
  };
  document.addEventListener('focusin', (e) => {
    const link = wide.matches && leads(e.target.closest('.lines > li'));
    if (link && Date.now() > dead && link.hash !== location.hash) choose(link.hash);
  });
  addEventListener('hashchange', mark);

  // What arrives or goes moves nothing under the finger: when something that can be pressed has moved by itself, or
  // another question is shown, no press counts for half a second, and that is seen.

  let dead = 0, before = null;
  const look = () => {
    const card = shownCard(), nonce = card && one('input[name=nonce]', card);
    const places = all('.waiting .lines > li, .chosen > .card:target button').map((e) => [e, e.getBoundingClientRect()]);
    return {card: card && card.id + (nonce ? nonce.value : ''), places: new Map(places)};
  };
  const moved = (then, now) => then.card !== now.card || [...now.places].some(([e, at]) => {
    const was = then.places.get(e);
    return was && Math.abs(was.top - at.top) + Math.abs(was.left - at.left) > 2;
  });
  const rest = () => {
    dead = Date.now() + 500;
    document.documentElement.classList.add('resting');
    setTimeout(() => { if (Date.now() >= dead) document.documentElement.classList.remove('resting'); }, 510);
  };
  const settle = () => {
    mark();
    if (before && one('.chosen') && moved(before, look())) rest();
    before = null;
    document.documentElement.classList.remove('swapping');
  };
  document.addEventListener('htmx:before:swap', () => {
    before = before || look();
    document.documentElement.classList.add('swapping');
    setTimeout(settle, 300); // the end of a swap is not heard from an element that is gone
  });
  document.addEventListener('htmx:finally:swap', settle);
  document.addEventListener('click', (e) => {
    if ((before || Date.now() < dead) && e.target.closest('main')) {
      e.preventDefault();
      e.stopImmediatePropagation();
    } else if (wide.matches && e.target.closest('.lines a[href^="#ask-"]')) {
      e.preventDefault(); // without a step in the browser's history
      choose(e.target.closest('a').hash);
    }
  }, true);

  // ---- keys

  const items = () => all('[data-item]').filter((e) => e.offsetParent !== null);
  const marked = () => { // the card or the line that a key is about
    const item = document.activeElement.closest('[data-item], .card'), link = leads(item);
    return link ? document.getElementById(link.hash.slice(1)) : item;
  };
  const move = (by) => {
    const list = items();
    if (!list.length) return;
    const at = list.indexOf(document.activeElement.closest('[data-item]'));
    const next = at < 0 ? (by > 0 ? 0 : list.length - 1) : Math.min(list.length - 1, Math.max(0, at + by));
    list[next].focus({preventScroll: true});
    list[next].scrollIntoView({block: 'nearest'});
  };
  const press = (value) => {
    const item = marked();
    if (!item || before || Date.now() < dead) return false;
    if (item.offsetParent === null) return choose('#' + item.id); // it is answered only where it is seen
    const button = all('button[name=do]', item).find((b) => b.value === value && !b.closest('details, .words'));
    if (button) button.click();
    return Boolean(button);
  };
  const keys = {
    j: () => move(1),
    k: () => move(-1),
    a: () => press('allow'),
    d: () => press('deny'),
    '/': () => {
      const item = marked();
      const box = (item && one('[data-text]', item)) || all('[data-text]').find((e) => e.offsetParent !== null);
      if (!box) return false;
      const closed = box.closest('details');
      if (closed) closed.open = true;
      box.focus();
      box.setSelectionRange(box.value.length, box.value.length);
    },
    '?': () => one('#keys') && one('#keys').showModal(),
    Enter: () => {
      const item = document.activeElement;
      const link = item.matches('[data-item]') && (leads(item) || one('a[data-open]', item));
      if (!link) return false;
      link.click();
    },
  };
  document.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
    const typing = e.target.closest('input, textarea, select, dialog[open]');
    if (typing) {
      if (e.key === 'Escape' && !typing.matches('dialog')) typing.blur();
      return;
    }
    const act = keys[e.key];
    if (act && act() !== false) e.preventDefault();
  });
  const help = one('#help');
  if (help) {
    help.hidden = false;
    help.addEventListener('click', keys['?']);
  }

  const current = one('nav a[aria-current]');
  if (current) current.scrollIntoView({block: 'nearest', inline: 'nearest'});

  // ---- the badge, and what is new

  const stored = (key) => {
    try { return JSON.parse(localStorage.getItem(key)) || []; } catch { return []; }
  };
  let leader = false; // one tab of the browser stays connected in the background, and it notifies
  const badge = () => {
    const open = one('#open');
    const n = open ? Number(open.dataset.open) : 0;
    document.title = (n ? '(' + n + ') ' : '') + document.title.replace(/^\(\d+\) /, '');
  };
  const happened = () => {
    const known = new Set(stored('afar-seen')), fresh = all('#happened > li').filter((e) => !known.has(e.dataset.key));
    const first = localStorage.getItem('afar-seen') === null; // what happened before this browser came is no news
    if (!fresh.length && !first) return;
    if (leader && !first && document.hidden && 'Notification' in window && Notification.permission === 'granted') {
      for (const e of fresh.slice(0, 3)) {
        const n = new Notification(e.dataset.title, {body: e.textContent, tag: e.dataset.key, icon: '/static/afar.svg'});
        n.onclick = () => { window.focus(); location.assign(e.dataset.path || '/'); };
      }
    }
    const keep = [...all('#happened > li').map((e) => e.dataset.key), ...known];
    localStorage.setItem('afar-seen', JSON.stringify([...new Set(keep)].slice(0, 200)));
  };
  const changed = () => { badge(); happened(); count(); };

  // ---- notifications are asked for by a button, never at load

  const offer = () => {
    const button = one('#notify-ask'), text = one('#notify-state');
    if (!button) return;
    const state = 'Notification' in window ? Notification.permission : 'unsupported';
    button.hidden = state !== 'default';
    text.textContent = {
      granted: 'This browser notifies you of questions, ends and failures while one of its tabs shows Afar.',
      denied: 'This browser does not let Afar notify you. Its settings for this site change that.',
      unsupported: 'This browser cannot notify.',
    }[state] || text.textContent.replace(' Scripts are needed for that.', '');
    button.onclick = () => Notification.requestPermission().then(offer);
  };

  // ---- the stream of changes; this script runs before htmx, which opens the stream as soon as it can

  const live = one('#live'), link = one('#link');
  const show = (on) => {
    link.hidden = false;
    const text = on ? 'live' : 'connecting…';
    if (link.textContent !== text) link.textContent = text;
    link.className = 'link ' + (on ? 'on' : 'off');
  };
  const quiet = () => document.hidden && !leader; // a hidden tab needs no stream: a browser has six connections
  let last = live ? live.dataset.seq : '', retry = 0, asking = false;
  const connect = () => {
    if (!quiet() && !asking && !(live._htmx && live._htmx.sse)) htmx.ajax('GET', live.getAttribute('hx-sse:connect'), {source: live});
  };
  const again = (after) => {
    clearTimeout(retry);
    retry = setTimeout(connect, after);
  };
  if (live) {
    live.addEventListener('htmx:finally:request', () => { asking = false; });
    live.addEventListener('htmx:config:request', (e) => { asking = true; e.detail.ctx.request.headers['Last-Event-ID'] = last; });
    live.addEventListener('htmx:sse:before:connection', (e) => { if (quiet()) e.detail.connection.cancelled = true; });
    live.addEventListener('htmx:sse:after:connection', () => show(true));
    live.addEventListener('htmx:sse:error', () => show(false));
    live.addEventListener('htmx:sse:after:message', (e) => { last = e.detail.message.id || last; changed(); });
    live.addEventListener('htmx:sse:close', (e) => { last = e.detail.connection.lastEventId || last; if (!quiet()) { show(false); again(500); } });
    live.addEventListener('htmx:error', () => { show(false); again(2000); });
    live.addEventListener('htmx:response:error', () => { show(false); again(5000); });
    document.addEventListener('visibilitychange', () => {
      count();
      if (!document.hidden) return again(0);
      if (quiet()) setTimeout(() => { if (quiet() && live._htmx && live._htmx.sse) live._htmx.sse.reader?.cancel(); }, 15000);
    });
    if (navigator.locks) navigator.locks.request('afar-live', () => { leader = true; again(1000); return new Promise(() => {}); });
  }
  document.addEventListener('htmx:after:swap', () => { changed(); offer(); });
  changed();
  offer();
  mark();
})();
