'use strict';
/* Screenshots of pages side by side: sheet.js DIRECTORY CHROMIUM OUT.png
 * PAGE... */
const fs = require('fs');
const path = require('path');
const {chromium} = require('playwright-core');

const [, , directory, executablePath, out, ...names] = process.argv;
const LOOKS = [
  ['desktop', {viewport: {width: 1100, height: 1500}}],
  ['phone', {viewport: {width: 375, height: 1500}}],
  ['phone, dark', {viewport: {width: 375, height: 1500}, colorScheme: 'dark'}],
  ['paper', {viewport: {width: 794, height: 1500}}],
];

async function shoot(browser, name, [look, options]) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto('file://' + path.join(directory, encodeURIComponent(name) + '.html'));
  if (look === 'paper') {
    await page.emulateMedia({media: 'print'});
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  }
  await page.waitForTimeout(400);
  const picture = await page.screenshot();
  await context.close();
  return `<td><img src="data:image/png;base64,${picture.toString('base64')}"></td>`;
}

(async () => {
  const browser = await chromium.launch({executablePath, args: ['--no-sandbox']});
  let rows = `<tr><th></th>${LOOKS.map(([look]) => `<th>${look}</th>`).join('')}</tr>`;
  for (const name of names) {
    let cells = '';
    for (const look of LOOKS) cells += await shoot(browser, name, look);
    rows += `<tr><th>${name}</th>${cells}</tr>`;
  }
  const sheet = path.join(directory, 'sheet.html');
  fs.writeFileSync(sheet, '<meta charset="utf-8"><style>body { font: 20px sans-serif; }' +
    'td { vertical-align: top; padding: 6px; } img { height: 700px; border: 1px solid gray; }' +
    `</style><table>${rows}</table>`);
  const page = await browser.newPage({viewport: {width: 1500, height: 900}});
  await page.goto('file://' + sheet);
  await page.screenshot({path: out, fullPage: true});
  await browser.close();
})().catch(e => {
  console.log(e.stack);
  process.exit(1);
});
