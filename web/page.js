/* The plots of a pario report. All text comes from the data and is set as
 * text, never as markup; nothing is fetched. */
'use strict';
(() => {
  const element = document.getElementById('pario-data');
  if (!element || typeof uPlot === 'undefined') return;
  const data = JSON.parse(element.textContent);
  const HEIGHT = 300, LANE_HEIGHT = 150, MOST_POINTS = 4000, COLUMNS = 1000;
  /* Okabe and Ito's, which colour-blind people tell apart, without yellow; with
   * the dashes 28 looks, and neighbours differ in both. */
  const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00',
    '#56b4e9', '#8a8f98'];
  const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
  const LOOKS = COLOURS.length * DASHES.length;
  /* What speaks against a number: as documents have it, and for people. */
  const FLAGS = [[1, 'cache', 'cache'], [2, 'cache-mixed', 'partly cache'],
    [4, 'unverified', 'unverified'], [8, 'failed', 'failed'],
    [16, 'run-invalid', 'run not valid'], [32, 'short', 'short'],
    [64, 'cache-unknown', 'cache?'], [128, 'preliminary', 'preliminary'],
    [256, 'paused', 'paused'], [512, 'repeated-data', 'repeated data']];
  const NOISY = 100; /* an interval over so many times its lower end */
  /* Of a heat map, from the least to the greatest value. */
  const HEAT = ['#440154', '#3b528b', '#21918c', '#5ec962', '#fde725'];
  const colour = i => COLOURS[i % COLOURS.length];
  const dash = i => DASHES[i % DASHES.length];
  /* A series looks the same in all figures of the page, and unlike all others
   * of its figure. */
  const looks = new Map();
  for (const figure of data.figures.concat(data.raw.flatMap(block => block.figures))) {
    const taken = new Set();
    for (const s of figure.series) {
      if (!looks.has(s.name)) looks.set(s.name, looks.size % LOOKS);
      s.look = looks.get(s.name);
      while (taken.has(s.look) && taken.size < LOOKS) s.look = (s.look + 1) % LOOKS;
      taken.add(s.look);
    }
  }
  const style = name =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const rebuilds = []; // what to draw again when the colours change

  function make(tag, attributes, text) {
    const e = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {}))
      e.setAttribute(name, value);
    if (text !== undefined) e.textContent = text;
    return e;
  }

  function button(parent, text, action, pressed) {
    const b = make('button', {type: 'button'}, text);
    if (pressed !== undefined) b.setAttribute('aria-pressed', String(pressed));
    b.addEventListener('click', () => action(b));
    parent.append(b);
    return b;
  }

  function flagKeys(flags) {
    return FLAGS.filter(([bit]) => flags & bit).map(([, key]) => key).join(' ');
  }

  function flagWords(flags) {
    return FLAGS.filter(([bit]) => flags & bit).map(([, , word]) => word).join(', ');
  }

  /* Three figures: more than the noise allows is no knowledge. */
  function number(v) {
    if (v === null || v === undefined || !Number.isFinite(v)) return '–';
    const a = Math.abs(v);
    for (const [scale, letter] of [[1e9, 'G'], [1e6, 'M']])
      if (a >= 0.9995 * scale && a < 1e15)
        return `${Number((v / scale).toPrecision(3))} ${letter}`;
    if (a >= 1e15 || (a < 1e-6 && a > 0)) return v.toExponential(2);
    return a >= 100 ? String(Math.round(v)) : String(Number(v.toPrecision(3)));
  }

  /* Always with its three figures: 74.0, 5.10. */
  function figures(v) {
    const a = Math.abs(v);
    if (a >= 9999.5 || (a < 0.0995 && a > 0)) return number(v);
    return v.toFixed(a < 9.995 ? 2 : a < 99.95 ? 1 : 0);
  }

  const TIMES = [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']];
  const SECONDS = {s: 1, ms: 1e-3, ns: 1e-9};
  const LARGE = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']];

  /* The unit in which a person writes v, and how much of the given one it is. */
  function written(v, unit) {
    const a = Math.abs(v);
    if (unit === 'ratio') return [1, 'x'];
    if (unit === 'MB/s') return a >= 999.5 ? [1e3, 'GB/s'] : [1, unit];
    if (unit in SECONDS) {
      const one = SECONDS[unit];
      const [scale, name] = TIMES.find(([t]) => a * one >= 0.9995 * t) ||
        (a > 0 ? TIMES[3] : [one, unit]);
      return [scale / one, name];
    }
    if (unit === 'IOPS' || unit === 'per second') {
      const [scale, letter] = LARGE.find(([n]) => a >= 0.9995 * n) || [1, ''];
      const end = unit === 'IOPS' ? ' IOPS' : '/s';
      return [scale, letter + (letter ? end : end.trim())];
    }
    return [1, unit];
  }

  /* With its unit as a person writes it: 1142 MB/s -> 1.14 GB/s. */
  function amount(v, unit) {
    const a = Math.abs(v), [scale, name] = written(v, unit);
    if (unit === 'ratio' && a > 0 && a < 1e-3) return '<0.001 x';
    return `${figures(v / scale)} ${name}`;
  }

  /* An interval in the unit of its value v. */
  function interval(low, high, v, unit) {
    if (high > NOISY * low) return '(too noisy to tell)';
    const [scale] = written(v, unit);
    return `(${figures(low / scale)} to ${figures(high / scale)})`;
  }

  /* 16384 -> 16 KiB, 100000 -> 97.7 KiB: one unit in all figures. */
  function bytes(v) {
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
    let i = 0;
    while (v >= 1023.5 && i < units.length - 1) { v /= 1024; i++; }
    return (v >= 999.5 ? Math.round(v) : Number(v.toPrecision(3))) + ' ' + units[i];
  }

  function download(name, blob) {
    const link = make('a', {download: name, href: URL.createObjectURL(blob)});
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function csvCell(value) {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  }

  function csvDownload(name, rows) {
    const text = rows.map(row => row.map(csvCell).join(',') + '\n').join('');
    download(name + '.csv', new Blob([text], {type: 'text/csv'}));
  }

  /* The canvases of plots one above the other, with title and legend. */
  function pngDownload(name, title, plots, legend) {
    const ratio = devicePixelRatio || 1, line = 20 * ratio, pad = 10 * ratio;
    const width = Math.max(...plots.map(p => p.ctx.canvas.width));
    const canvas = make('canvas');
    canvas.width = width;
    canvas.height = pad * 2 + line * (1 + legend.length) +
      plots.reduce((sum, p) => sum + p.ctx.canvas.height, 0);
    const ctx = canvas.getContext('2d');
    ctx.fillStyle = style('--paper');
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.fillStyle = style('--ink');
    ctx.font = `bold ${13 * ratio}px sans-serif`;
    ctx.fillText(title, pad, pad + 12 * ratio, width - 2 * pad);
    let y = pad + line;
    for (const p of plots) {
      ctx.drawImage(p.ctx.canvas, 0, y);
      y += p.ctx.canvas.height;
    }
    ctx.font = `${12 * ratio}px sans-serif`;
    legend.forEach(([text, stroke], i) => {
      ctx.fillStyle = stroke;
      ctx.fillRect(pad, y + line * i + 4 * ratio, 14 * ratio, 4 * ratio);
      ctx.fillStyle = style('--ink');
      ctx.fillText(text, pad + 20 * ratio, y + line * i + 11 * ratio);
    });
    canvas.toBlob(blob => download(name + '.png', blob));
  }

  const axis = extra => Object.assign({
    stroke: () => style('--ink'), grid: {stroke: () => style('--grid'), width: 1},
    ticks: {stroke: () => style('--grid'), width: 1}, font: '12px sans-serif',
    labelFont: '12px sans-serif',
  }, extra);

  const powersIn = (base, low, high, factors) => {
    const out = [];
    for (let k = Math.floor(Math.log(low) / Math.log(base)); base ** k <= high; k++)
      for (const f of factors) {
        const v = f * base ** k;
        if (v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9)) out.push(v);
      }
    return out;
  };

  /* Bytes of a linear axis, at whole KiB, MiB ...: no nearer than 70 pixels. */
  function evenBytes(u, i, low, high) {
    const least = (high - low) * 70 / Math.max(100, u.width - 100);
    const step = 2 ** Math.ceil(Math.log2(Math.max(least, 1)));
    const out = [];
    for (let v = Math.ceil(low / step) * step; v <= high; v += step) out.push(v);
    return out;
  }

  /* Where the x axis has its tics: at the values themselves where they are few,
   * else at round ones; none nearer to the next than there is room for. */
  function xSplits(figure, state) {
    const own = [...new Set(figure.series.flatMap(s => s.x))].sort((a, b) => a - b);
    const binary = /bytes|processes/.test(figure.x);
    if (own.length > 16 && !state.xlog)
      return /bytes/.test(figure.x) ? evenBytes : undefined;
    return (u, i, low, high) => {
      let at = own.length <= 16 ? own.filter(v => v >= low && v <= high) : [];
      if (at.length < 2 && state.xlog)
        at = binary ? powersIn(2, low, high, [1])
          : powersIn(10, low, high, high / low < 300 ? [1, 2, 5] : [1]);
      if (at.length < 2)
        at = [0, 1, 2, 3, 4].map(k => state.xlog ? low * (high / low) ** (k / 4)
          : low + (high - low) * k / 4);
      const width = Math.max(100, u.width - 100);
      const room = /^days/.test(figure.x) ? 130 : 52;
      const pixel = v => width * (state.xlog ? Math.log(v / low) / Math.log(high / low)
        : (v - low) / (high - low));
      let last = -Infinity;
      return at.filter(v => {
        if (pixel(v) - last < room) return false;
        last = pixel(v);
        return true;
      });
    };
  }

  /* Arrow keys move the cursor, + and - zoom, 0 shows all. */
  function keyboard(holder, plot, zoom, reset) {
    holder.tabIndex = 0;
    holder.addEventListener('keydown', event => {
      const u = plot(), xs = u.data[0];
      if (!xs.length) return;
      const low = u.scales.x.min, high = u.scales.x.max;
      const steps = {ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9};
      if (event.key in steps) {
        let i = u.cursor.idx ?? (steps[event.key] > 0 ? -1 : xs.length);
        const first = xs.findIndex(x => x >= low);
        let last = xs.length - 1;
        while (last > 0 && xs[last] > high) last--;
        i = Math.max(first, Math.min(last, i + steps[event.key]));
        u.setCursor({left: u.valToPos(xs[i], 'x'), top: 5});
      } else if (event.key === '+' || event.key === '-') {
        const at = u.cursor.idx !== null && u.cursor.idx !== undefined
          ? xs[u.cursor.idx] : (low + high) / 2;
        const f = event.key === '+' ? 0.5 : 2;
        zoom(at - (at - low) * f, at + (high - at) * f);
      } else if (event.key === '0' || event.key === 'Escape') {
        reset();
      } else {
        return;
      }
      event.preventDefault();
    });
  }

  /* One point for each x: points that share one stay apart by a hair. */
  function distinct(xs) {
    const out = xs.slice();
    for (let i = 1; i < out.length; i++)
      if (out[i] <= out[i - 1])
        out[i] = out[i - 1] + (Math.abs(out[i - 1]) || 1) * 1e-9;
    return out;
  }

  function joined(figure, state) {
    const n = figure.series.length;
    const tables = figure.series.map(s => {
      const order = s.x.map((_, k) => k).sort((a, b) => s.x[a] - s.x[b] || a - b);
      const keep = order.filter(k => !(state.xlog && s.x[k] <= 0));
      return [distinct(keep.map(k => s.x[k])),
        keep.map(k => state.ylog && s.y[k] <= 0 ? null : s.y[k]),
        keep.map(k => k)];
    });
    const all = uPlot.join(tables);
    const rows = [all[0]], index = [null];
    for (let i = 0; i < n; i++) { rows.push(all[1 + 2 * i]); index.push(all[2 + 2 * i]); }
    return {rows, index};
  }

  /* Error bars where there are intervals; a ring around marked numbers. */
  function marks(figure, index) {
    return u => {
      const ctx = u.ctx, ratio = devicePixelRatio || 1;
      ctx.save();
      figure.series.forEach((s, i) => {
        if (!u.series[i + 1].show) return;
        ctx.strokeStyle = colour(s.look ?? i);
        ctx.lineWidth = ratio;
        u.data[0].forEach((x, k) => {
          const p = index[i + 1][k];
          if (p === null || p === undefined || u.data[i + 1][k] === null) return;
          if (x < u.scales.x.min || x > u.scales.x.max) return;
          const px = u.valToPos(x, 'x', true);
          if (s.low && s.low[p] !== null) {
            const top = u.valToPos(s.high[p], 'y', true);
            const bottom = u.valToPos(Math.max(s.low[p], u.scales.y.min), 'y', true);
            ctx.beginPath();
            ctx.moveTo(px, top); ctx.lineTo(px, bottom);
            ctx.moveTo(px - 4 * ratio, top); ctx.lineTo(px + 4 * ratio, top);
            ctx.moveTo(px - 4 * ratio, bottom); ctx.lineTo(px + 4 * ratio, bottom);
            ctx.stroke();
          }
          if (figure.kind === 'lines' && s.flags && s.flags[p]) {
            ctx.beginPath();
            ctx.arc(px, u.valToPos(u.data[i + 1][k], 'y', true), 6 * ratio, 0, 7);
            ctx.stroke();
          }
        });
      });
      ctx.restore();
    };
  }

  function heatColour(share) {
    const at = Math.max(0, Math.min(1, share)) * (HEAT.length - 1);
    const i = Math.min(Math.floor(at), HEAT.length - 2);
    const part = (hex, k) => parseInt(hex.slice(1 + 2 * k, 3 + 2 * k), 16);
    return `rgb(${[0, 1, 2].map(k => Math.round(part(HEAT[i], k) +
      (at - i) * (part(HEAT[i + 1], k) - part(HEAT[i], k)))).join()})`;
  }

  const greatest = figure =>
    figure.series.reduce((most, s) => s.y.reduce((m, y) => Math.max(m, y ?? 0), most), 0) || 1;

  /* A row for each series, the first on top. */
  function heatCells(figure) {
    const most = greatest(figure);
    return u => {
      const {ctx, bbox} = u, high = bbox.height / figure.series.length;
      ctx.save();
      ctx.beginPath();
      ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
      ctx.clip();
      figure.series.forEach((s, i) => {
        for (let k = 0; k + 1 < s.x.length; k++) {
          if (s.y[k] === null) continue;
          const left = u.valToPos(s.x[k], 'x', true);
          ctx.fillStyle = heatColour(s.y[k] / most);
          ctx.fillRect(left, bbox.top + i * high,
            u.valToPos(s.x[k + 1], 'x', true) - left + 0.5, Math.max(1, high - 1));
        }
      });
      ctx.restore();
    };
  }

  /* The same plot as any other; only what is drawn in it differs. */
  function heatOptions(figure, options) {
    const rows = figure.series.length;
    options.height = Math.max(150, Math.min(460, 80 + 22 * rows));
    options.scales.y = {range: () => [-0.5, rows - 0.5]};
    options.axes[1] = axis({label: 'process', size: 64, grid: {show: false},
      splits: u => {
        const step = Math.ceil(14 * rows / Math.max(1, u.height - 80));
        return figure.series.map((_, i) => i).filter(i => i % step === 0)
          .map(i => rows - 1 - i);
      },
      values: (u, v) => v.map(i =>
        figure.series[rows - 1 - i].name.replace(/^process /, ''))});
    options.cursor.points = {show: false};
    for (const s of options.series.slice(1)) {
      s.paths = () => null;
      s.points = {show: false};
    }
    options.hooks.draw = [heatCells(figure)];
    return options;
  }

  /* A value of the x axis: a size, a day, a number. */
  function place(figure, x, exact) {
    const since = /^days since (\d{4}-\d\d-\d\d)$/.exec(figure.x);
    if (/bytes/.test(figure.x)) return bytes(x);
    if (!since) return number(x);
    const date = new Date(Date.parse(since[1]) + x * 864e5);
    if (isNaN(date)) return '';
    const day = date.toISOString();
    return exact ? day.slice(0, 16).replace('T', ' ') : day.slice(0, 10);
  }

  function xAxis(figure, state) {
    const days = /^days since/.test(figure.x);
    const few = u => days && u.scales.x.max - u.scales.x.min < 3;
    const extra = {label: days ? 'day' : figure.x, size: 44,
      values: (u, v) => v.map(x => x === null ? '' : place(figure, x, few(u)))};
    if (days) extra.space = 130;
    const splits = xSplits(figure, state);
    if (splits) extra.splits = splits;
    return axis(extra);
  }

  function figureOptions(figure, state, index, readout, width) {
    const kind = figure.kind;
    const path = kind === 'steps' ? uPlot.paths.stepped({align: 1})
      : uPlot.paths.linear();
    const x = xAxis(figure, state);
    if (state.xlog) x.filter = (u, splits) => splits;
    const xs = figure.series.flatMap(s => s.x);
    return {
      width, height: HEIGHT, legend: {show: false}, padding: [12, 30, 0, 0],
      cursor: {drag: {x: true, y: false}, points: {size: 8}},
      scales: {
        x: {time: false, distr: state.xlog ? 3 : 1,
          log: /bytes|processes/.test(figure.x) ? 2 : 10,
          range: (u, low, high) => low === high
            ? (state.xlog ? [low / 2, high * 2] : [low - 1, high + 1])
            : [low, high]},
        y: {distr: state.ylog ? 3 : 1,
          range: (u, low, high) => {
            for (const s of figure.series)
              if (s.high) s.high.forEach((h, k) => {
                if (h === null) return;
                high = Math.max(high, h);
                low = Math.min(low, s.low[k] ?? h);
              });
            if (state.ylog) return uPlot.rangeLog(low || 1e-9, high || 1, 10, false);
            return [Math.min(0, low * 1.06), Math.max(0, high * 1.06) || 1];
          }},
      },
      axes: [x, axis({label: figure.y, size: 64,
        values: (u, v) => v.map(y => y === null ? '' : number(y))})],
      series: [{}].concat(figure.series.map((s, i) => ({
        label: s.name, stroke: colour(s.look ?? i), dash: dash(s.look ?? i),
        width: 2, paths: path, spanGaps: true, show: !state.hidden.has(i),
        points: {show: kind === 'lines' && xs.length < 5000, size: 6,
          fill: colour(s.look ?? i)},
      }))),
      hooks: {
        draw: [marks(figure, index)],
        setCursor: [u => readout(u, index)],
      },
    };
  }

  /* The point of a series at x, or the one next to it. */
  function nearest(u, index, i, k) {
    const there = j => index[i][j] !== null && index[i][j] !== undefined &&
      u.data[i][j] !== null;
    for (let d = 0; d < u.data[0].length; d++) {
      const near = [k - d, k + d].filter(j => j >= 0 && j < u.data[0].length && there(j));
      if (near.length) return near[0];
    }
    return -1;
  }

  /* Every series at the cursor's x; one that has no point there says where its
   * nearest is. */
  function tell(figure, output) {
    const at = x => place(figure, x, true);
    return (u, index) => {
      const k = u.cursor.idx;
      if (k === null || k === undefined) { output.textContent = ''; return; }
      const parts = [];
      figure.series.forEach((s, i) => {
        const j = u.series[i + 1].show ? nearest(u, index, i + 1, k) : -1;
        if (j < 0) return;
        const p = index[i + 1][j];
        let text = `${s.name}: ${number(s.y[p])}`;
        if (j !== k) text += ` at ${at(u.data[0][j])}`;
        if (s.low && s.low[p] !== null)
          text += ` (${number(s.low[p])} to ${number(s.high[p])})`;
        if (s.flags && s.flags[p]) text += ` [${flagWords(s.flags[p])}]`;
        parts.push(text);
      });
      output.textContent = parts.length
        ? `${at(u.data[0][k])} → ${parts.join('; ')}` : '';
    };
  }

  function shownRows(figure, u, state) {
    const rows = [['series', figure.x, figure.y, 'low', 'high', 'flags']];
    const low = u.scales.x.min, high = u.scales.x.max;
    figure.series.forEach((s, i) => {
      if (state.hidden.has(i)) return;
      s.x.forEach((x, p) => {
        if (figure.kind !== 'bars' && (x < low || x > high)) return;
        rows.push([s.name, figure.kind === 'bars' ? figure.categories[x] : x, s.y[p],
          s.low ? s.low[p] : '', s.high ? s.high[p] : '',
          s.flags ? flagKeys(s.flags[p]) : '']);
      });
    });
    return rows;
  }

  function svg(tag, attributes) {
    const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
    return e;
  }

  /* A line as it is drawn, for legends: it prints, as a background would not. */
  function swatch(look) {
    const s = svg('svg', {width: 28, height: 8, class: 'swatch', 'aria-hidden': 'true'});
    s.append(svg('line', {x1: 0, x2: 28, y1: 4, y2: 4, stroke: colour(look),
      'stroke-width': 3, 'stroke-dasharray': dash(look).join(' ') || 'none'}));
    return s;
  }

  function hatching(look) {
    const pattern = svg('pattern', {id: `hatch-${look}`, width: 6, height: 6,
      patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)'});
    pattern.append(svg('line', {x1: 0, x2: 0, y1: 0, y2: 6, stroke: colour(look),
      'stroke-width': 5}));
    return pattern;
  }

  /* One bar in the width that there is, with its interval; a flagged one is
   * hatched. */
  function drawBar(s, p, most, unit) {
    const share = v => `${Math.max(0, Math.min(100, 100 * v / most))}%`;
    const flags = s.flags ? s.flags[p] : 0;
    const row = make('div', {class: 'bar-value'});
    const picture = svg('svg', {class: 'bar-svg', 'aria-hidden': 'true'});
    if (flags) picture.append(hatching(s.look));
    picture.append(svg('rect', {x: 0, y: 2, height: 14, width: share(s.y[p]),
      fill: flags ? `url(#hatch-${s.look})` : colour(s.look),
      stroke: colour(s.look)}));
    const ends = s.low && s.low[p] !== null;
    if (ends)
      for (const [x1, x2, y1, y2] of [[s.low[p], s.high[p], 9, 9],
        [s.low[p], s.low[p], 4, 14], [s.high[p], s.high[p], 4, 14]])
        picture.append(svg('line', {x1: share(x1), x2: share(x2), y1, y2,
          stroke: 'currentColor', 'stroke-width': 1.5}));
    if (unit === 'ratio')
      picture.append(svg('line', {x1: share(1), x2: share(1), y1: 0, y2: 18,
        stroke: 'currentColor', 'stroke-dasharray': '2 2'}));
    const words = [amount(s.y[p], unit)];
    if (ends) words.push(interval(s.low[p], s.high[p], s.y[p], unit));
    if (flags) words.push(`[${flagWords(flags)}]`);
    row.append(picture, make('span', {class: 'bar-words'}, words.join(' ')));
    return row;
  }

  /* Bars lie: their names are read without turning the head. */
  function drawBars(box, figure) {
    const bar = make('div', {class: 'bar'});
    const holder = make('div', {class: 'bars'});
    const legend = make('div', {class: 'legend'});
    const unit = figure.y.split(', ').at(-1);
    /* An interval that leaves the picture does not make the bars vanish. */
    const longest = Math.max(...figure.series.flatMap(s => s.y));
    const most = Math.max(...figure.series.flatMap(s => s.y.map((y, k) =>
      Math.max(y, Math.min((s.high && s.high[k]) || 0, 2 * longest))))) || 1;
    figure.categories.forEach((category, c) => {
      const row = make('div', {class: 'bar-row'});
      row.append(make('span', {class: 'bar-name'}, category));
      const values = make('div', {class: 'bar-values'});
      figure.series.forEach(s => s.x.forEach((x, p) => {
        if (x === c && s.y[p] !== null) values.append(drawBar(s, p, most, unit));
      }));
      row.append(values);
      holder.append(row);
    });
    button(bar, 'CSV', () => csvDownload(figure.id, shownRows(figure,
      {scales: {x: {}}}, {hidden: new Set()})));
    if (figure.series.length > 1)
      for (const s of figure.series) {
        const item = make('span', {class: 'legend-item'}, s.name);
        item.prepend(swatch(s.look));
        legend.append(item);
      }
    box.querySelector('.stage').append(bar, holder, legend);
  }

  /* What the colours stand for. */
  function heatSteps(figure) {
    const most = greatest(figure), unit = figure.y.split(', ').at(-1);
    return HEAT.map((fill, i) => [`${number(most * i / (HEAT.length - 1))} ${unit}`, fill]);
  }

  function drawFigure(box, figure) {
    const state = {xlog: figure.xlog, ylog: figure.ylog, hidden: new Set()};
    const bar = make('div', {class: 'bar'});
    const holder = make('div', {class: 'plot', role: 'group',
      'aria-label': figure.title + '. Arrow keys read values, plus and minus zoom, 0 shows all.'});
    const output = make('output', {class: 'readout'});
    const legend = make('div', {class: 'legend', role: 'group', 'aria-label': 'series'});
    const heat = figure.kind === 'heat';
    let u = null;
    const reset = () => u.setData(u.data, true);
    function build() {
      const {rows, index} = joined(figure, state);
      if (u) u.destroy();
      const options = figureOptions(figure, state, index, tell(figure, output),
        holder.clientWidth || 600);
      u = new uPlot(heat ? heatOptions(figure, options) : options, rows, holder);
      box.plot = u;
    }
    for (const which of heat ? [] : ['x', 'y'])
      button(bar, 'log ' + which, b => {
        state[which + 'log'] = !state[which + 'log'];
        b.setAttribute('aria-pressed', String(state[which + 'log']));
        build();
      }, state[which + 'log']);
    button(bar, 'show all', reset);
    button(bar, 'CSV', () => csvDownload(figure.id, shownRows(figure, u, state)));
    button(bar, 'PNG', () => pngDownload(figure.id, figure.title, [u],
      heat ? heatSteps(figure) : figure.series.map((s, i) => [s.name, colour(s.look), i])
        .filter(([, , i]) => !state.hidden.has(i))));
    for (const [text, fill] of heat ? heatSteps(figure) : []) {
      const item = make('span', {class: 'legend-item'}, text);
      const patch = svg('svg', {width: 28, height: 8, class: 'swatch', 'aria-hidden': 'true'});
      patch.append(svg('rect', {width: 28, height: 8, fill}));
      item.prepend(patch);
      legend.append(item);
    }
    if (!heat) figure.series.forEach((s, i) => {
      const b = button(legend, s.name, () => {
        if (!state.hidden.delete(i)) state.hidden.add(i);
        b.setAttribute('aria-pressed', String(!state.hidden.has(i)));
        u.setSeries(i + 1, {show: !state.hidden.has(i)});
      }, true);
      b.prepend(swatch(s.look));
    });
    box.querySelector('.stage').append(bar, holder, output, legend);
    build();
    keyboard(holder, () => u, (a, b) => u.setScale('x', {min: a, max: b}), reset);
    new ResizeObserver(() => {
      if (u && holder.clientWidth && holder.clientWidth !== u.width)
        u.setSize({width: holder.clientWidth, height: u.height});
    }).observe(holder);
    rebuilds.push(build);
  }

  /* Raw samples: base64 of little-endian integers of nanoseconds. */
  function decode(text, wide) {
    const binary = atob(text), n = binary.length, raw = new Uint8Array(n);
    for (let i = 0; i < n; i++) raw[i] = binary.charCodeAt(i);
    return wide ? new Float64Array(raw.buffer) : new Uint32Array(raw.buffer);
  }

  function unpack(lane) {
    if (lane.ready) return;
    if (lane.exact !== null) lane.exact = decode(lane.exact, lane.wide);
    for (const level of lane.levels)
      for (const name of ['low', 'median', 'high'])
        level[name] = decode(level[name], lane.wide);
    lane.ready = true;
  }

  /* What to draw of calls a to b: every one, or columns of several. */
  function laneView(lane, a, b) {
    const from = Math.max(0, Math.floor(a) - lane.first);
    const to = Math.min(lane.count, Math.ceil(b) - lane.first + 1);
    const x = [], low = [], mid = [], high = [];
    if (lane.exact && to - from <= MOST_POINTS) {
      for (let i = from; i < to; i++) {
        x.push(lane.first + i);
        mid.push(lane.exact[i] / 1e6);
        low.push(null);
        high.push(null);
      }
      return {data: [x, low, mid, high], width: 1};
    }
    if (lane.exact && (from > 0 || to < lane.count || !lane.levels.length)) {
      const width = Math.ceil((to - from) / COLUMNS);
      for (let i = from; i < to; i += width) {
        const part = lane.exact.slice(i, Math.min(to, i + width)).sort();
        x.push(lane.first + i);
        low.push(part[0] / 1e6);
        mid.push(part[(part.length - 1) >> 1] / 1e6);
        high.push(part[part.length - 1] / 1e6);
      }
      return {data: [x, low, mid, high], width};
    }
    let level = lane.levels[0];
    for (const finer of lane.levels)
      if ((to - from) / finer.width <= MOST_POINTS) level = finer;
    if (!level) return {data: [x, low, mid, high], width: 1};
    const first = Math.floor(from / level.width);
    const last = Math.min(level.median.length, Math.ceil(to / level.width));
    for (let i = first; i < last; i++) {
      x.push(lane.first + i * level.width);
      low.push(level.low[i] / 1e6);
      mid.push(level.median[i] / 1e6);
      high.push(level.high[i] / 1e6);
    }
    return {data: [x, low, mid, high], width: level.width};
  }

  const SUB = 64, STEP = 8;
  function bucket(ns) {
    if (ns < SUB) return Math.floor(ns / STEP);
    if (ns < 2 ** 32) {
      const top = 31 - Math.clz32(ns);
      return ((top - 5) * SUB + ((ns >>> (top - 6)) & (SUB - 1))) >> 3;
    }
    const msb = Math.floor(Math.log2(ns));
    return Math.floor(((msb - 5) * SUB + Math.floor(ns / 2 ** (msb - 6)) % SUB) / STEP);
  }
  function bucketStart(index) {
    const i = index * STEP;
    if (i < SUB) return Math.max(i, 0.5);
    return (i % SUB + SUB) * 2 ** (Math.floor(i / SUB) - 1);
  }

  /* The distribution of calls a to b, as steps. */
  function spread(lane, a, b) {
    if (!lane.exact) return lane.distribution;
    const from = Math.max(0, Math.floor(a) - lane.first);
    const to = Math.min(lane.count, Math.ceil(b) - lane.first + 1);
    const counts = new Float64Array(512);
    for (let i = from; i < to; i++) counts[bucket(lane.exact[i])]++;
    const x = [], y = [];
    counts.forEach((count, k) => {
      if (!count) return;
      x.push(bucketStart(k) / 1e6);
      y.push(100 * count / (to - from));
      if (!counts[k + 1]) { x.push(bucketStart(k + 1) / 1e6); y.push(0); }
    });
    return {x, y};
  }

  function lanePlot(holder, lane, i, view, state, zoomed) {
    const stroke = colour(i);
    return new uPlot({
      width: holder.clientWidth || 600, height: LANE_HEIGHT, legend: {show: false},
      padding: [8, 30, 0, 0],
      cursor: {drag: {x: true, y: false, setScale: false}, sync: {key: 'raw'},
        bind: {dblclick: () => () => { zoomed(null); }}},
      scales: {x: {time: false, range: () => [state.a, state.b]},
        y: {distr: state.ylog ? 3 : 1, range: (u, low, high) => {
          if (state.shared) [low, high] = state.extent;
          return state.ylog ? uPlot.rangeLog(low || 1e-6, high || 1, 10, false)
            : [0, (high || 1) * 1.06];
        }}},
      axes: [axis({size: 30, values: (u, v) => v.map(number)}),
        axis({size: 64, label: 'ms', values: (u, v) => v.map(y => y === null ? '' : number(y))})],
      series: [{},
        {label: 'least', stroke, width: 0.5, points: {show: false}},
        {label: 'median', stroke, width: view.width === 1 ? 1 : 1.5,
          points: {show: view.width === 1 && view.data[0].length <= MOST_POINTS, size: 4, fill: stroke}},
        {label: 'greatest', stroke, width: 0.5, points: {show: false}}],
      bands: [{series: [3, 1], fill: stroke + '55'}],
      hooks: {
        setSelect: [u => {
          if (u.select.width < 4) return;
          const a = u.posToVal(u.select.left, 'x');
          const b = u.posToVal(u.select.left + u.select.width, 'x');
          u.setSelect({left: 0, width: 0, top: 0, height: 0}, false);
          zoomed([a, b]);
        }],
        setCursor: [u => state.tell(u)],
      },
    }, positive(view.data, state.ylog), holder);
  }

  /* A log axis has no place for zero. */
  function positive(rows, logarithmic) {
    if (!logarithmic) return rows;
    return rows.map((row, i) => i === 0 ? row : row.map(v => v > 0 ? v : null));
  }

  /* The least positive and the greatest value of all lanes that are shown. */
  function extentOf(views) {
    let low = Infinity, high = 0;
    for (const view of views)
      for (const row of view.data.slice(1))
        for (const v of row) {
          if (v === null) continue;
          if (v > 0 && v < low) low = v;
          if (v > high) high = v;
        }
    return [low === Infinity ? 1e-6 : low, high];
  }

  function drawRaw(section) {
    const choice = section.querySelector('select');
    const stage = section.querySelector('.stage');
    const tables = [...section.querySelectorAll('[data-block]')];
    let current = null;
    function show() {
      const block = data.raw[Number(choice.value)];
      tables.forEach(t => { t.hidden = t.dataset.block !== choice.value; });
      stage.replaceChildren();
      current = rawBlock(stage, block);
      section.view = current;
    }
    choice.addEventListener('change', show);
    show();
    rebuilds.push(() => current.refresh());
  }

  function rawBlock(stage, block) {
    const lanes = block.lanes;
    lanes.forEach(unpack);
    const first = Math.min(...lanes.map(l => l.first));
    const end = Math.max(...lanes.map(l => l.first + l.count - 1), first + 1);
    const state = {a: first, b: end, ylog: block.ylog, shared: true, extent: [0, 1],
      hidden: new Set(), plots: [], spread: null, tell: () => {}};
    const bar = make('div', {class: 'bar'});
    const status = make('p', {class: 'note', 'aria-live': 'polite'});
    const output = make('output', {class: 'readout'});
    const holder = make('div', {class: 'plot', role: 'group',
      'aria-label': 'time of each call. Arrow keys read values, plus and minus zoom, 0 shows all.'});
    const lower = make('div', {class: 'plot', role: 'group',
      'aria-label': 'distribution of the times shown'});
    state.tell = u => {
      const k = u.cursor.idx;
      if (k === null || k === undefined || !u.cursor.event) return;
      const at = u.data[0][k];
      output.textContent = `call ${at} → ` + state.plots.map(p => {
        const i = p.data[0].indexOf(at);
        if (i < 0) return '';
        const v = p.data[2][i], lo = p.data[1][i], hi = p.data[3][i];
        return `${p.lane.name}: ${number(v)} ms` +
          (lo === null ? '' : ` (${number(lo)} to ${number(hi)})`);
      }).filter(Boolean).join('; ');
    };
    function zoomed(range) {
      if (range === null) { state.a = first; state.b = end; }
      else {
        state.a = Math.max(first, Math.round(Math.min(...range)));
        state.b = Math.min(end, Math.round(Math.max(...range)));
        if (state.b - state.a < 2) state.b = state.a + 2;
      }
      refresh();
    }
    function refresh() {
      state.plots.forEach(p => p.destroy());
      holder.replaceChildren();
      lower.replaceChildren();
      state.plots = [];
      let widest = 1;
      const views = lanes.map((lane, i) =>
        state.hidden.has(i) ? null : laneView(lane, state.a, state.b));
      state.extent = extentOf(views.filter(Boolean));
      lanes.forEach((lane, i) => {
        const view = views[i];
        if (!view) return;
        widest = Math.max(widest, view.width);
        holder.append(make('h4', {}, lane.name));
        const u = lanePlot(holder, lane, i, view, state, zoomed);
        u.lane = lane;
        state.plots.push(u);
      });
      status.textContent = `Calls ${state.a} to ${state.b}: ` + (widest === 1
        ? 'every call is a point.'
        : `each column stands for ${widest} calls (least, median, greatest). ` +
          (lanes.every(l => l.exact) ? 'Zoom in to see every call.'
            : `The page holds every call of lanes of up to ${data.limit} samples ` +
              'in all; for these, give --range to pario report or pario rawdata.'));
      drawSpread();
    }
    function drawSpread() {
      if (state.spread) state.spread.destroy();
      state.spread = null;
      const shown = lanes.filter((_, i) => !state.hidden.has(i));
      const whole = shown.some(l => !l.exact);
      const figure = {id: 'distribution', kind: 'steps', xlog: true, ylog: false,
        title: 'distribution', x: 'time of a call, ms', y: 'share of calls, %',
        series: shown.map(l => Object.assign({name: l.name}, spread(l, state.a, state.b)))};
      lower.append(make('h4', {}, whole ? 'Distribution of the times of all calls'
        : 'Distribution of the times of the calls shown'));
      if (!figure.series.some(s => s.x.length)) return;
      const inner = {xlog: true, ylog: false, hidden: new Set()};
      const {rows, index} = joined(figure, inner);
      const options = figureOptions(figure, inner, index, tell(figure, output),
        lower.clientWidth || 600);
      options.height = 220;
      options.series.slice(1).forEach((s, i) => {
        s.stroke = colour(lanes.indexOf(shown[i]));
      });
      state.spread = new uPlot(options, rows, lower);
      state.spreadFigure = figure;
    }
    button(bar, 'log y', b => {
      state.ylog = !state.ylog;
      b.setAttribute('aria-pressed', String(state.ylog));
      refresh();
    }, state.ylog);
    if (lanes.length > 1)
      button(bar, 'one y scale', b => {
        state.shared = !state.shared;
        b.setAttribute('aria-pressed', String(state.shared));
        refresh();
      }, true);
    button(bar, 'show all', () => zoomed(null));
    if (block.cut > 0)
      button(bar, `cut startup (${block.cut} calls)`, () => zoomed([block.cut, end]));
    button(bar, 'CSV', () => {
      const rows = [['series', 'loop counter', 'median ms', 'least ms', 'greatest ms']];
      state.plots.forEach(p => p.data[0].forEach((x, i) =>
        rows.push([p.lane.name, x, p.data[2][i], p.data[1][i], p.data[3][i]])));
      csvDownload('rawdata', rows);
    });
    button(bar, 'PNG', () => pngDownload('rawdata', block.title,
      state.plots, state.plots.map(p => [p.lane.name, colour(lanes.indexOf(p.lane))])));
    const legend = make('div', {class: 'legend', role: 'group', 'aria-label': 'processes'});
    lanes.forEach((lane, i) => {
      const b = button(legend, lane.name, () => {
        if (!state.hidden.delete(i)) state.hidden.add(i);
        b.setAttribute('aria-pressed', String(!state.hidden.has(i)));
        refresh();
      }, true);
      b.prepend(swatch(i));
    });
    stage.append(bar, status, holder, output, legend, lower);
    refresh();
    keyboard(holder, () => state.plots[0] || {data: [[]]},
      (a, b) => zoomed([a, b]), () => zoomed(null));
    new ResizeObserver(() => {
      state.plots.forEach(p => {
        if (holder.clientWidth && p.width !== holder.clientWidth)
          p.setSize({width: holder.clientWidth, height: LANE_HEIGHT});
      });
      const u = state.spread;
      if (u && lower.clientWidth && u.width !== lower.clientWidth)
        u.setSize({width: lower.clientWidth, height: u.height});
    }).observe(holder);
    return {state, refresh, zoomed};
  }

  /* A click on a heading sorts by it; what is typed above is looked for. */
  function sortable(table) {
    const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
    const filter = make('input', {type: 'search', class: 'filter',
      placeholder: 'show rows that have …', 'aria-label': 'show rows that have'});
    filter.addEventListener('input', () => {
      const words = filter.value.toLowerCase().split(/\s+/);
      for (const row of body.rows)
        row.hidden = !words.every(w => row.textContent.toLowerCase().includes(w));
    });
    table.before(filter);
    heads.forEach((head, i) => {
      const b = make('button', {type: 'button', class: 'sort'}, head.textContent);
      head.replaceChildren(b);
      b.addEventListener('click', () => {
        const up = head.getAttribute('aria-sort') !== 'ascending';
        heads.forEach(h => h.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
        const key = row => row.cells[i].textContent;
        const value = row => Number.parseFloat(key(row));
        const rows = [...body.rows].sort((p, q) => (up ? 1 : -1) *
          (head.classList.contains('n') ? (value(p) || 0) - (value(q) || 0)
            : key(p).localeCompare(key(q), undefined, {numeric: true})));
        body.append(...rows);
      });
    });
  }

  function draw(box) {
    later.unobserve(box);
    if (box.drawn) return;
    box.drawn = true;
    if (box.matches('section')) { drawRaw(box); return; }
    const [at, inBlock] = box.dataset.figure.split('.').map(Number);
    const figure = inBlock === undefined ? data.figures[at] : data.raw[at].figures[inBlock];
    (figure.kind === 'bars' ? drawBars : drawFigure)(box, figure);
  }

  /* Plots are made when they come near the screen. */
  const later = new IntersectionObserver(entries => {
    for (const entry of entries)
      if (entry.isIntersecting) draw(entry.target);
  }, {rootMargin: '600px'});
  const boxes = document.querySelectorAll('figure[data-figure], section[data-raw]');
  boxes.forEach(box => later.observe(box));
  document.querySelectorAll('#measures table').forEach(sortable);
  matchMedia('(prefers-color-scheme: dark)')
    .addEventListener('change', () => rebuilds.forEach(build => build()));
  /* Paper is white, and has all of it. */
  addEventListener('beforeprint', () => {
    document.documentElement.classList.add('paper');
    document.querySelectorAll('details').forEach(d => { d.open = true; });
    boxes.forEach(draw);
    rebuilds.forEach(build => build());
  });
  addEventListener('afterprint', () => {
    document.documentElement.classList.remove('paper');
    rebuilds.forEach(build => build());
  });
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
})();
