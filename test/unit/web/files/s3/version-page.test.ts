import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readVersionPage } from '../../../../../web/src/files/s3/version-page.ts'
import { xmlTree } from '../../../../support/xml-tree.ts'

const time = '2026-01-02T03:04:05.678Z'
const versions =
  '<Version><Key>a%20b%2Bc%00</Key><VersionId>2</VersionId><IsLatest>true</IsLatest>' +
  `<LastModified>${time}</LastModified><ETag>"e"</ETag><Size>7</Size></Version>` +
  '<DeleteMarker><Key>a+b</Key><VersionId>1</VersionId><IsLatest>false</IsLatest>' +
  `<LastModified>${time}</LastModified></DeleteMarker>`

test('readVersionPage returns versions and delete markers in the order of the listing', () => {
  const xml =
    `<ListVersionsResult><IsTruncated>true</IsTruncated><NextKeyMarker>a%20b</NextKeyMarker>` +
    `<NextVersionIdMarker>1</NextVersionIdMarker>${versions}</ListVersionsResult>`
  const modifiedAtMs = Date.parse(time)
  assert.deepEqual(readVersionPage(xmlTree(xml)), {
    versions: [
      {
        ...{ key: 'a b+c\0', versionId: '2', isLatest: true, isDeleteMarker: false },
        ...{ modifiedAtMs, size: 7 },
      },
      {
        ...{ key: 'a b', versionId: '1', isLatest: false, isDeleteMarker: true },
        ...{ modifiedAtMs, size: 0 },
      },
    ],
    next: { key: 'a b', versionId: '1' },
  })
})

test('readVersionPage returns no position after the last page', () => {
  const xml = '<ListVersionsResult><IsTruncated>false</IsTruncated></ListVersionsResult>'
  assert.deepEqual(readVersionPage(xmlTree(xml)), { versions: [], next: undefined })
})
