import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { absenceOfChromium, startChromium } from '../support/chromium.ts'
import { barriers, useDashboard } from '../support/dashboard.ts'
import { type FileBrowser, propertyOf, useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { samplePng } from '../support/sample-media.ts'
import { sampleZip } from '../support/sample-zip.ts'

const markdown = `# A heading

Some *text* with a [link](other.md), [another](https://example.com/x) and <b onclick="alert(1)">HTML</b>.

![near](img/near.png) ![far](https://far.example/pixel.png)

| a | b |
|---|---|
| 1 | 2 |

\`\`\`js
const answer = 42 // why
\`\`\`

<img src=x onerror="document.title='it ran'"><script>document.title = 'it ran'</script>
<iframe src="/-/"></iframe><form><input name="password"></form>
<p style="position:fixed" class="mantine-Modal-overlay" id="root">plain</p>
<a href="javascript:document.title='it ran'">press</a>
`

const rows = Array.from({ length: 30_000 }, (_, row) => `${row},"name, ${row}",${row * 2}`)

describe('Texts and archives in the preview', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  before(async () => {
    const browser = await startChromium()
    const picture = await samplePng(browser, 40, 30)
    await browser.close()
    writeTree(join(dashboard().gateway.driveFolder, testBucket, 'texts'), {
      'README.md': markdown,
      'img/near.png': picture,
      'data.json': '{"big": 9007199254740993, "list": [{"x": "</b>"}, 2], "long": ['.concat(
        '1,'.repeat(999),
        '1]}',
      ),
      'broken.json': '{"a": }',
      'table.csv': `id,name,value\n${rows.join('\n')}\n`,
      'code.ts': 'export const answer: number = 42 // why\n',
      'long.log': Array.from({ length: 60_000 }, (_, line) => `line ${line}\n`).join(''),
      'archive.zip': sampleZip(
        Array.from({ length: 2_000 }, (_, entry) => `folder/file ${entry}.txt`),
      ),
      'broken.zip': 'no archive',
    })
  })

  async function openFile(name: string): Promise<FileBrowser> {
    const files = await openAt(`/files/${testBucket}?prefix=texts/`)
    await files.name(name).click()
    await files.dialog.waitFor()
    return files
  }

  /** The characters that have a colour. */
  const coloured = (files: FileBrowser) =>
    files.page.evaluate<Record<string, string[]>>(`Object.fromEntries(
      [...CSS.highlights].map(([name, ranges]) => [name, [...ranges].map(
        ({ startContainer, startOffset, endOffset }) => startContainer.data.slice(startOffset, endOffset)
      )])
    )`)

  test('Markdown is a document in which nothing runs and nothing comes from elsewhere', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=texts/`)
    const hosts = new Set<string>()
    files.page.on('request', (request) => hosts.add(new URL(request.url()).origin))
    await files.name('README.md').click()
    const text = files.dialog.getByRole('region', { name: 'Document' })
    await text.getByRole('heading', { name: 'A heading' }).waitFor()
    const near = text.getByRole('img', { name: 'near' })
    await until(async () => (await propertyOf(near, 'naturalWidth')) === 40)
    const far = text.getByRole('link', { name: 'Picture: far' })
    assert.equal(await far.getAttribute('href'), 'https://far.example/pixel.png')
    assert.equal(await far.getAttribute('rel'), 'noopener noreferrer')
    const link = text.getByRole('link', { name: 'link', exact: true })
    assert.equal(
      await link.getAttribute('href'),
      `/-/files/${testBucket}?prefix=texts/&view=other.md`,
    )
    assert.equal(await text.getByText('press').getAttribute('href'), null)
    assert.equal(
      await text.locator('script, iframe, form, input, [style], [id], [onclick]').count(),
      0,
    )
    assert.equal(await text.locator('p[class]').count(), 0)
    await until(async () => (await coloured(files)).keyword?.includes('const') ?? false)
    assert.deepEqual([...hosts], [dashboard().gateway.url])
    assert.notEqual(await files.page.title(), 'it ran')
    assert.deepEqual(await barriers(files.page), [])
    await files.dialog.getByText('Source', { exact: true }).click()
    await files.dialog.locator('pre').getByText('# A heading').waitFor()
  })

  test('code has colours without an element in it, which go with it', async () => {
    const files = await openFile('code.ts')
    await until(async () => (await coloured(files)).number?.includes('42') ?? false)
    assert.deepEqual((await coloured(files)).comment, ['// why'])
    assert.equal(await files.dialog.locator('pre *').count(), 0)
    await files.page.keyboard.press('Escape')
    await files.dialog.waitFor({ state: 'detached' })
    await until(async () => Object.values(await coloured(files)).flat().length === 0)
  })

  test('JSON folds, and shows numbers as they are', async () => {
    const files = await openFile('data.json')
    const tree = files.dialog.getByRole('region', { name: 'Tree' })
    await tree.getByText('9007199254740993').waitFor()
    const list = tree.getByText('list: [ ] 2 items')
    await tree.getByText('0: { } 1 field').click()
    await tree.getByText('"</b>"').waitFor()
    await list.click()
    await tree.getByText('0: { } 1 field').waitFor({ state: 'detached' })
    await tree.getByText('1,000 items').click()
    assert.deepEqual(await barriers(files.page), [])
    await tree.getByText('199: 1').waitFor()
    assert.equal(await tree.getByText('200: 1').count(), 0)
    await tree.getByRole('button', { name: 'Show more of 1,000' }).click()
    await tree.getByText('399: 1').waitFor()
  })

  test('says what is wrong with JSON, and shows its source', async () => {
    const files = await openFile('broken.json')
    await files.dialog.getByText('This is not valid JSON: Unexpected token').waitFor()
    await files.dialog.getByRole('button', { name: 'Show the source' }).click()
    await files.dialog.locator('pre').getByText('{"a": }').waitFor()
  })

  test('CSV is a table of which the rows in view are in the page', async () => {
    const files = await openFile('table.csv')
    const table = files.dialog.getByRole('table', { name: 'Table of table.csv' })
    await table.getByRole('columnheader', { name: 'name' }).waitFor()
    await table.getByRole('cell', { name: 'name, 3', exact: true }).waitFor()
    assert.ok((await table.getByRole('row').count()) < 80)
    await files.dialog.getByText('The first 20,000 rows').waitFor()
    await files.dialog.getByRole('region', { name: 'Table of table.csv' }).focus()
    await files.page.keyboard.press('End')
    await table.getByRole('cell', { name: 'name, 19998', exact: true }).waitFor()
    assert.deepEqual(await barriers(files.page), [])
  })

  test('a long text has pages', async () => {
    const files = await openFile('long.log')
    const { dialog } = files
    await dialog.getByText('Page 1 of 3, 634 KiB').waitFor()
    const text = dialog.locator('pre')
    assert.match((await text.textContent()) ?? '', /^line 0\n.*line \d+\n$/s)
    await dialog.getByRole('button', { name: 'Last page' }).click()
    await dialog.getByText('Page 3 of 3').waitFor()
    await until(async () => /line 59999\n$/.test((await text.textContent()) ?? ''))
    assert.match((await text.textContent()) ?? '', /^line \d+\n/)
    assert.deepEqual(await barriers(files.page), [])
  })

  test('says that a file changed between two pages', async () => {
    const files = await openFile('long.log')
    await files.dialog.getByText('Page 1 of 3').waitFor()
    writeTree(join(dashboard().gateway.driveFolder, testBucket, 'texts'), {
      'long.log': 'y\n'.repeat(400_000),
    })
    await files.dialog.getByRole('button', { name: 'Next page' }).click()
    await files.dialog.getByText('The file has changed').waitFor()
  })

  test('lists a ZIP from its directory alone', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=texts/`)
    const ranges: (string | undefined)[] = []
    files.page.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      const isRead = request.method() === 'GET' && pathname.endsWith('archive.zip') && search === ''
      if (isRead) ranges.push(request.headers().range)
    })
    await files.name('archive.zip').click()
    const table = files.dialog.getByRole('table', { name: 'Contents of archive.zip' })
    await table.getByRole('cell', { name: 'folder/file 3.txt' }).waitFor()
    await files.dialog.getByText('2,000 entries').waitFor()
    assert.ok(ranges.length > 0 && ranges.every((range) => /^bytes=[1-9]\d*-/.test(range ?? '')))
    assert.deepEqual(await barriers(files.page), [])
  })

  test('offers the download of an invalid ZIP', async () => {
    const files = await openFile('broken.zip')
    await files.dialog.getByRole('button', { name: 'Download 10 bytes' }).waitFor()
  })

  test('the Content-Security-Policy blocks nothing else', () => {
    const others = dashboard()
      .complaints()
      .filter((text) => !/inline (?:event handler|style)/.test(text))
    assert.deepEqual(others, [])
  })
})
