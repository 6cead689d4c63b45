import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileTimeOf, fileTimeText } from '../../../../src/platform/text/file-time.ts'

test('reads what rclone, s3fs and mc write', () => {
  assert.equal(fileTimeOf({ mtime: '1354040105.123456789' }), 1_354_040_105_123)
  assert.equal(fileTimeOf({ mtime: '1700000000' }), 1_700_000_000_000)
  const mc = 'atime:1591920848#7/ctime:1/gid:0/gname:root/mode:33188/mtime:1591920845#5/uid:0'
  assert.equal(fileTimeOf({ 'mc-attrs': mc }), 1_591_920_845_000)
  assert.equal(fileTimeOf({ 'mc-attrs': 'mtime:1591920845' }), 1_591_920_845_000)
  assert.equal(fileTimeOf({ mtime: 'x', 'mc-attrs': 'mtime:1591920845' }), 1_591_920_845_000)
})

test('ignores everything else', () => {
  const wrong = [
    '',
    ' ',
    'NaN',
    'Infinity',
    '1e99',
    '1e3',
    '-1',
    '0',
    '0.0',
    '0x10',
    '1.',
    '.5',
    '1,5',
  ]
  for (const mtime of [
    ...wrong,
    '99999999999999',
    '253402300800',
    '2024-01-01',
    '1700000000000',
    '1 ',
  ]) {
    assert.equal(fileTimeOf({ mtime }), undefined, JSON.stringify(mtime))
  }
  assert.equal(fileTimeOf({}), undefined)
  assert.equal(fileTimeOf({ 'mc-attrs': 'xmtime:5/atime:7' }), undefined)
})

test('writes times that it reads', () => {
  assert.equal(fileTimeText(1_700_000_000_123), '1700000000.123')
  assert.equal(fileTimeText(1_700_000_000_000), '1700000000')
  for (const wrong of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e20, -62_135_596_800_000]) {
    assert.equal(fileTimeText(wrong), undefined, String(wrong))
  }
})
