'use strict';
/* Opens reports in a headless Chromium: browser.js DIRECTORY CHROMIUM
 * [SHOTS]. DIRECTORY holds runs.html, base.json, raw.html (10^6 samples),
 * raw.json (their times in ns), real.html, real.json and compare.html, made by
 * browser.py. */
const fs = require('fs');
const path = require('path');
const {chromium} = require('playwright-core');

const [, , directory, executablePath, shots] = process.argv;
let failures = 0;

function expect(condition, what) {
  if (condition) return;
  failures++;
  console.log('FAILED: ' + what);
}

async function open(browser, file, options) {
  const context = await browser.newContext(Object.assign(
    {viewport: {width: 1280, height: 900}, acceptDownloads: true}, options));
  const page = await context.newPage();
  page.on('console', m => {
    if (m.type() === 'error' || m.type() === 'warning')
      expect(false, `${file}: console ${m.type()}: ${m.text()}`);
  });
  page.on('pageerror', e => expect(false, `${file}: ${e.stack}`));
  page.on('request', r => {
    if (!/^(file|blob|data):/.test(r.url()) || (r.url().startsWith('file:') &&
        !r.url().endsWith('.html')))
      expect(false, `${file}: request to ${r.url()}`);
  });
  await page.goto('file://' + path.join(directory, file));
  return page;
}

async function figure(page, title) {
  const box = page.locator('figure', {has: page.locator(`h3:text-is("${title}")`)});
  await box.scrollIntoViewIfNeeded();
  await box.locator('canvas').waitFor({timeout: 5000});
  return box;
}

const near = (a, b) => Math.abs(a - b) <= 1e-9 * Math.abs(b);

/* What is plotted is what the result says. */
async function plottedValues(page) {
  const document = JSON.parse(fs.readFileSync(path.join(directory, 'base.json')));
  for (const access of ['write', 'rewrite', 'read']) {
    const box = await figure(page,
      `b_eff_io: ${access}, bandwidth over contiguous chunk on disk`);
    const plotted = await box.evaluate(e => ({
      x: [...e.plot.data[0]], rows: e.plot.series.slice(1).map((s, i) =>
        [s.label, [...e.plot.data[i + 1]]])}));
    let compared = 0;
    for (const m of document.measures) {
      if (m.access !== access || /_total$/.test(m.test)) continue;
      const name = ['scatter', 'shared', 'separate', 'segmented',
        'seg-coll'][m.pattern.type] + (m.pattern.l_bytes % 1024 ? ' +8 B' : '');
      const row = plotted.rows.find(([label]) => label === name);
      const i = plotted.x.findIndex(x => near(x, m.pattern.l_bytes));
      expect(row && i >= 0 && near(row[1][i], m.bandwidth_mbps),
        `${access} ${m.test} ${m.pattern.l_bytes}: plotted as measured`);
      compared++;
    }
    expect(compared === 35, `${access}: ${compared} of 35 values compared`);
  }
}

async function drag(page, over, from, to) {
  const r = await over.boundingBox();
  await page.mouse.move(r.x + r.width * from, r.y + r.height / 2);
  await page.mouse.down();
  await page.mouse.move(r.x + r.width * (from + to) / 2, r.y + r.height / 2);
  await page.mouse.move(r.x + r.width * to, r.y + r.height / 2);
  await page.mouse.up();
}

async function zoomAndToggle(page) {
  const box = await figure(page,
    'b_eff_io: write, bandwidth over contiguous chunk on disk');
  const scale = () => box.evaluate(e => [e.plot.scales.x.min, e.plot.scales.x.max]);
  const all = await scale();
  await drag(page, box.locator('.u-over'), 0.3, 0.6);
  const zoomed = await scale();
  expect(zoomed[0] > all[0] && zoomed[1] < all[1], `drag zooms: ${all} -> ${zoomed}`);
  const saved = page.waitForEvent('download');
  await box.getByRole('button', {name: 'CSV'}).click();
  const rows = fs.readFileSync(await (await saved).path(), 'utf8').trim().split('\n');
  expect(rows.slice(1).every(r => {
    const x = Number(r.split(',')[1]);
    return x >= zoomed[0] && x <= zoomed[1];
  }) && rows.length > 1 && rows.length < 36, `CSV of what is shown: ${rows.length}`);
  await box.getByRole('button', {name: 'show all'}).click();
  expect(String(await scale()) === String(all), 'show all');
  await box.getByRole('button', {name: 'shared', exact: true}).click();
  const hidden = () => box.evaluate(e =>
    e.plot.series.slice(1).filter(s => !s.show).map(s => s.label).join());
  expect(await hidden() === 'shared', 'a series is hidden');
  expect(await box.getByRole('button', {name: 'shared', exact: true})
    .getAttribute('aria-pressed') === 'false', 'and its button says so');
  await box.getByRole('button', {name: 'log y'}).click();
  expect(await box.evaluate(e => e.plot.scales.y.distr === 3) &&
    await hidden() === 'shared', 'log y, and the series stays hidden');
  const png = page.waitForEvent('download');
  await box.getByRole('button', {name: 'PNG'}).click();
  const bytes = fs.readFileSync(await (await png).path());
  expect(bytes.subarray(1, 4).toString() === 'PNG' && bytes.length > 5000, 'PNG');
}

async function keyboard(page) {
  const box = await figure(page,
    'b_eff_io: read, bandwidth over contiguous chunk on disk');
  await box.locator('.plot').focus();
  await page.keyboard.press('ArrowRight');
  const text = await box.locator('output').textContent();
  expect(/1 KiB → .*scatter: .*\[cache, preliminary\]/.test(text), `arrow reads values: ${text}`);
  const before = await box.evaluate(e => e.plot.scales.x.max);
  await page.keyboard.press('+');
  expect(await box.evaluate(e => e.plot.scales.x.max) < before, '+ zooms');
  await page.keyboard.press('0');
  expect(await box.evaluate(e => e.plot.scales.x.max) === before, '0 shows all');
  await box.locator('summary').focus();
  await page.keyboard.press('Enter');
  expect(await box.locator('table').isVisible(), 'the table behind the plot');
  expect(await box.locator('tbody tr').count() === 35, 'has all points');
}

/* 10^6 samples: ready within a second, zoomed down to every call. */
async function rawTimings(browser) {
  const page = await open(browser, 'raw.html');
  await page.locator('#raw canvas').first().waitFor();
  const took = await page.evaluate(() => performance.now());
  console.log(`raw.html: first plot ${Math.round(took)} ms after opening ` +
    `(script at ${await page.evaluate(() => document.documentElement.dataset.ready)} ms)`);
  const times = JSON.parse(fs.readFileSync(path.join(directory, 'raw.json')));
  const view = fn => page.evaluate(`(() => { const s = document.querySelector('#raw').view.state;
    return (${fn})(s); })()`);
  expect(await view('s => s.plots.length') === 2, 'a lane for each process');
  const first = await view('s => [s.plots[0].data[1][0], s.plots[0].data[2][0], s.plots[0].data[3][0]]');
  const width = Math.ceil(times[0].length / 512);
  const column = times[0].slice(0, width).sort((a, b) => a - b);
  expect(near(first[0], column[0] / 1e6) && near(first[2], column[width - 1] / 1e6) &&
    near(first[1], column[(width - 1) >> 1] / 1e6), 'bands are least, median, greatest');
  await page.locator('#raw .u-over').first().scrollIntoViewIfNeeded();
  for (let i = 0; i < 3; i++)
    await drag(page, page.locator('#raw .u-over').first(), 0.4, 0.5);
  const [a, b] = await view('s => [s.a, s.b]');
  expect(b - a < 2000 && b > a, `three drags: ${a} to ${b}`);
  const points = await view('s => s.plots.map(p => [p.data[0], p.data[2]])');
  expect(points.every(([x, y], lane) => x.length === b - a + 1 &&
    x.every((call, i) => near(y[i], times[lane][call] / 1e6))),
  'every call of the range is there, exactly');
  const share = await view('s => s.spreadFigure.series[0].y.reduce((p, q) => p + q, 0)');
  expect(near(share, 100), `the distribution of the range sums to ${share}`);
  const scales = () => view('s => s.plots.map(p => p.scales.y.max)');
  expect(new Set(await scales()).size === 1, 'lanes share one y scale');
  await page.getByRole('button', {name: 'one y scale'}).click();
  expect(new Set(await scales()).size === 2, 'or have their own');
  await page.setViewportSize({width: 700, height: 900});
  await page.waitForTimeout(200);
  expect(await view('s => s.spread.width === s.plots[0].width && s.spread.width < 700'),
    'the distribution follows the window');
  await page.setViewportSize({width: 1280, height: 900});
  await page.getByRole('button', {name: /^cut startup/}).click();
  const cut = await view('s => s.a');
  expect(Math.abs(cut - times[0].length / 5) < times[0].length / 100,
    `startup cut at ${cut}`);
  await page.close();
}

/* Bandwidth over time, and processes x time, as the samples say. */
async function course(browser) {
  const page = await open(browser, 'raw.html');
  const times = JSON.parse(fs.readFileSync(path.join(directory, 'raw.json')));
  const box = page.locator('#raw figure', {hasText: 'each process over time'});
  await box.scrollIntoViewIfNeeded();
  await box.locator('canvas').waitFor({timeout: 5000});
  const shown = await box.evaluate(e => e.plot.data.map(row => [...row]));
  const end = Math.max(...times.map(lane => lane.reduce((a, b) => a + b) / 1e9));
  expect(shown.length === 3 && Math.abs(shown[0].at(-1) - end) < 1e-3 * end,
    `it ends with the last call: ${shown[0].at(-1)}, ${end}`);
  const moved = shown[1].reduce((sum, y, k) =>
    sum + (y || 0) * ((shown[0][k + 1] ?? shown[0][k]) - shown[0][k]), 0);
  expect(Math.abs(moved / (times[0].length * 0.1) - 1) < 0.01,
    `the rates of a process make its bytes: ${moved} MB`);
  expect(shown[1][1] > 3 * shown[1][60], 'the fast startup is seen');
  const r = await box.locator('.u-over').boundingBox();
  await page.mouse.move(r.x + r.width * 0.5, r.y + r.height / 2);
  const text = await box.locator('output').textContent();
  expect(/process 0: [0-9.]+.*process 1: [0-9.]+/.test(text), `hover: ${text}`);
  const colours = await box.evaluate((e, at) => {
    const u = e.plot, y = Math.round(u.bbox.top + u.bbox.height / 4);
    const row = u.ctx.getImageData(0, y, u.ctx.canvas.width, 1).data;
    return at.map(x => {
      const k = u.data[0].findIndex(v => v >= x);
      const px = Math.round(u.valToPos((u.data[0][k] + u.data[0][k + 1]) / 2, 'x', true));
      return row[4 * px] + row[4 * px + 1] + row[4 * px + 2];
    });
  }, [0, end / 2]);
  expect(colours[0] > colours[1] + 100, `fast is bright, slow is dark: ${colours}`);
  const line = page.locator('#raw figure', {hasText: 'bandwidth over time'}).first();
  await line.scrollIntoViewIfNeeded();
  await line.locator('canvas').waitFor({timeout: 5000});
  const sum = await line.evaluate(e => [...e.plot.data[1]]);
  expect(Math.abs(sum[1] / (shown[1][1] + shown[2][1]) - 1) < 1e-3, 'all is the sum');
  await page.close();
}

/* The table of all measures: a click on a heading sorts, words choose rows. */
async function sortAndFilter(page) {
  const details = page.locator('#measures details').first();
  await details.locator('summary').click();
  const table = details.locator('table');
  const heads = await table.locator('thead th').allTextContents();
  const at = heads.indexOf('MB/s');
  expect(at >= 0, `columns: ${heads}`);
  const column = async () => (await table.locator('tbody tr:visible').evaluateAll(
    (rows, i) => rows.map(row => Number.parseFloat(row.cells[i].textContent) || 0), at));
  const inOrder = values => values.every((v, i) => i === 0 || v >= values[i - 1]);
  const all = await column();
  expect(all.length > 100 && !inOrder(all), 'the order of the run at first');
  await table.locator('th').nth(at).getByRole('button').click();
  expect(inOrder(await column()), 'a click sorts');
  expect(await table.locator('th').nth(at).getAttribute('aria-sort') === 'ascending',
    'and says so');
  await table.locator('th').nth(at).getByRole('button').click();
  expect(inOrder((await column()).reverse()), 'another turns it round');
  await details.locator('input').fill('Rewrite scatter');
  const rows = await table.locator('tbody tr:visible').allTextContents();
  expect(rows.length > 0 && rows.length < all.length / 4 &&
    rows.every(row => /rewrite/.test(row) && /scatter/.test(row)), `filtered: ${rows.length}`);
  await details.locator('input').fill('');
  expect((await column()).length === all.length, 'and all again');
}

/* The pointer over a plot reads every series there. */
async function hover(page) {
  const box = await figure(page,
    'b_eff_io: write, bandwidth over contiguous chunk on disk');
  await box.getByRole('button', {name: 'show all'}).click();
  const r = await box.locator('.u-over').boundingBox();
  await page.mouse.move(r.x + r.width * 0.5, r.y + r.height / 2);
  const text = await box.locator('output').textContent();
  const missing = (await box.evaluate(e => e.plot.series.slice(1)
    .filter(s => s.show).map(s => s.label))).filter(label => !text.includes(`${label}: `));
  expect(missing.length === 0, `hover misses ${missing}: ${text}`);
}

/* On paper: every figure drawn, with its legend, every table whole, in the
 * width of the sheet. */
async function onPaper(browser) {
  for (const file of ['runs.html', 'raw.html', 'compare.html']) {
    const page = await open(browser, file, {viewport: {width: 718, height: 1000}});
    await page.emulateMedia({media: 'print'});
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    const seen = await page.evaluate(() => {
      const shown = e => e.getClientRects().length > 0;
      const figures = [...document.querySelectorAll('figure')].filter(shown);
      return {
        figures: figures.length,
        empty: figures.filter(f => !f.querySelector('canvas, .bar-svg, svg')).length,
        bare: figures.filter(f => f.querySelector('canvas') &&
          ![...f.querySelectorAll('.legend .swatch')].some(shown)).length,
        closed: [...document.querySelectorAll('details')].filter(d => !d.open).length,
        cut: [...document.querySelectorAll('.scroll')].filter(shown)
          .filter(s => s.scrollWidth > s.clientWidth + 1 &&
            getComputedStyle(s).overflowX !== 'visible' ||
            getComputedStyle(s).maxHeight !== 'none').length,
        wide: document.documentElement.scrollWidth,
        keys: [...document.querySelectorAll('.keys')].filter(shown).length,
      };
    });
    expect((file === 'compare.html' || seen.figures > 0) && seen.empty === 0 &&
      seen.bare === 0 && seen.closed === 0 && seen.cut === 0 && seen.wide <= 718 &&
      seen.keys === 0,
    `${file} on paper: ${JSON.stringify(seen)}`);
    await page.close();
  }
}

/* The answer, at the top of the page of a real run. */
async function shoot(page, name) {
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({path: path.join(shots, name)});
}

/* A run of the quick suite: every measure is in the plots as it was made. */
async function realRun(browser) {
  const page = await open(browser, 'real.html');
  if (shots) await shoot(page, 'report-desktop.png');
  const {measures, view} = JSON.parse(fs.readFileSync(path.join(directory, 'real.json')));
  let compared = 0;
  for (const m of measures) {
    const box = await figure(page,
      `quick ${view.tests.find(t => t.key === m.test).name}: ${m.access}, bandwidth over request size`);
    const found = await box.evaluate((e, [x, y]) => e.plot.data.slice(1).some(row =>
      [...e.plot.data[0]].some((at, i) => at === x && row[i] === y)),
    [m.parameters.request_bytes, m.bandwidth_mbps]);
    expect(found, `quick ${m.test} ${m.access} ${JSON.stringify(m.parameters)}`);
    compared++;
  }
  expect(compared > 20, `${compared} measures of a real run compared`);
  const choice = page.locator('#raw select');
  await choice.scrollIntoViewIfNeeded();
  await page.locator('#raw canvas').first().waitFor();
  await choice.selectOption('1');
  expect(await page.locator('#raw [data-block="1"]').isVisible() &&
    !await page.locator('#raw [data-block="0"]').isVisible(), 'another block');
  await page.close();
}

async function narrow(browser) {
  for (const file of ['runs.html', 'compare.html', 'raw.html', 'real.html']) {
    const page = await open(browser, file,
      {viewport: {width: 390, height: 844}, colorScheme: 'dark', hasTouch: true});
    await page.waitForTimeout(300);
    expect(await page.evaluate(() => document.documentElement.scrollWidth) <= 390,
      `${file}: no sideways scrolling on a phone`);
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
      === 'rgb(20, 24, 29)', 'dark');
    if (shots && file === 'real.html') await shoot(page, 'report-phone.png');
    await page.close();
  }
}

(async () => {
  const browser = await chromium.launch({executablePath, args: ['--no-sandbox']});
  const page = await open(browser, 'runs.html');
  await plottedValues(page);
  await zoomAndToggle(page);
  await hover(page);
  await keyboard(page);
  await sortAndFilter(page);
  await page.close();
  const compared = await open(browser, 'compare.html');
  expect(await compared.locator('#lead table').count() >= 2 &&
         await compared.locator('#lead svg circle').count() > 0, 'comparison');
  await compared.close();
  await rawTimings(browser);
  await course(browser);
  await onPaper(browser);
  await realRun(browser);
  await narrow(browser);
  await browser.close();
  process.exit(failures ? 1 : 0);
})().catch(e => {
  console.log('FAILED: ' + e.stack);
  process.exit(1);
});
