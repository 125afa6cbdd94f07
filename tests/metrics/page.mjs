// Opens the status page in a browser and checks that it draws what the server does.
//   node page.mjs URL DIRECTORY      DIRECTORY gets pictures of it
import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import path from 'node:path';

const {chromium} = createRequire(path.join(process.cwd(), 'x.js'))('playwright-core');
const [url, directory] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync', '--no-first-run'],
});

const SCREENS = [
  {name: 'light', colorScheme: 'light', viewport: {width: 1280, height: 1200}},
  {name: 'dark', colorScheme: 'dark', viewport: {width: 1280, height: 1200}},
  {name: 'phone', colorScheme: 'light', viewport: {width: 390, height: 1800}},
];
for (const {name, ...screen} of SCREENS) {
  const page = await browser.newPage(screen);
  const complaints = [];
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', error => complaints.push(String(error)));
  page.on('request', request => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) complaints.push(`asks for ${request.url()}`);
  });
  await page.goto(url);
  // Load shows once two looks at the server can be compared.
  await page.waitForFunction(() => /[1-9]/.test(document.querySelector('#figures dd')?.textContent ?? ''));
  const status = await (await fetch(`${url}status.json`)).json();
  const seen = await page.evaluate(() => ({
    state: document.querySelector('#state').textContent,
    workers: document.querySelectorAll('#topology .worker').length,
    nodes: document.querySelectorAll('#topology .node').length,
    busy: [...document.querySelectorAll('#topology rect.grpc, #topology rect.ring')].map(bar => Number(bar.getAttribute('width'))),
    wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
    rows: Object.fromEntries([...document.querySelectorAll('tbody tr')].map(row => [row.children[0].textContent, row.children[1].textContent])),
  }));
  assert.equal(seen.state, 'serving');
  assert.equal(seen.workers, status.workers.filter(worker => worker.transport === 'grpc').length);
  assert.equal(seen.nodes, new Set(status.workers.map(worker => worker.node)).size);
  assert.ok(Math.max(...seen.busy) > 2, `nobody is busy: ${seen.busy}`);
  assert.equal(seen.rows.kernels, status.kernels);
  assert.match(seen.rows.encode, /[1-9]/);
  assert.equal(seen.wide, false, 'the page is wider than the screen');
  assert.deepEqual(complaints, []);
  await page.waitForFunction(() => [...document.querySelectorAll('#times td')].some(cell => cell.textContent.endsWith('s')));
  assert.deepEqual(complaints, []);
  assert.equal(await page.textContent('#state'), 'serving');
  await page.screenshot({path: path.join(directory, `${name}.png`), fullPage: true});
  await page.close();
}
await browser.close();
console.log('page: all passed');
