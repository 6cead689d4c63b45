import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { isReadOnlyBucket } from '../../../../src/app/settings/own-drives.ts'
import { readSettings } from '../../../../src/app/settings/read-settings.ts'
import { shownSettings } from '../../../../src/app/settings/shown-settings.ts'
import { settingsWarnings } from '../../../../src/app/settings/warnings.ts'
import { SettingsError } from '../../../../src/platform/process/setting-mistake.ts'

const folder = mkdtempSync(join(tmpdir(), 'bucketry-drives-'))
after(() => rmSync(folder, { recursive: true }))

type Values = Readonly<Record<string, string>>

const keys = { ACCESS_KEY: 'AK', SECRET_KEY: '0123456789abcdef', DATA_DIR: folder }
const accountA = {
  GDRIVE_CLIENT_ID_A: 'id',
  GDRIVE_CLIENT_SECRET_A: 'hidden',
  GDRIVE_REFRESH_TOKEN_A: 'token-a',
}
const nas = { DRIVE_NAS: 'webdav+http://u:hidden@nas/dav' }

function read(more: Values) {
  return readSettings({
    ...keys,
    DRIVE: `file:${folder}/main`,
    ALLOWED_BUCKETS: 'photos',
    ...more,
  })
}

/** All mistakes as one text; empty if there are none. */
async function mistakesIn(more: Values): Promise<string> {
  try {
    await read(more)
    return ''
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error))
    assert.doesNotMatch(error.message, /hidden/)
    return error.message
  }
}

describe('named drives', () => {
  test('have places and credentials of their own, also from files', async () => {
    writeFileSync(join(folder, 'token'), 'token-b\n')
    const settings = await read({
      ALLOWED_BUCKETS: 'photos, backup@A ,more@B,music@NAS:Music/Lossless,old@DEFAULT:o l d',
      ...{ ...accountA, DRIVE_A: 'gdrive:Backup', ...nas, DRIVE_B: 'gdrive:Backup' },
      GDRIVE_CLIENT_ID_B: 'id-b',
      GDRIVE_CLIENT_SECRET_B: 'hidden',
      GDRIVE_REFRESH_TOKEN_B_FILE: join(folder, 'token'),
      GDRIVE_DELETE: 'permanent',
      GDRIVE_DELETE_B: 'trash',
      READ_ONLY: '@NAS,photos',
      PUBLIC_READ_BUCKETS: 'music',
    })
    assert.deepEqual(settings.allowedBuckets, ['photos', 'backup', 'more', 'music', 'old'])
    assert.deepEqual(
      settings.bucketPlaces.map(({ bucket, drive, folder }) => `${bucket} ${drive} ${folder}`),
      [
        'photos  photos',
        'backup A backup',
        'more B more',
        'music NAS Music/Lossless',
        'old  o l d',
      ],
    )
    const [main, a, b, webdav] = settings.drives
    assert.deepEqual([main?.name, main?.drive], ['', { kind: 'file', path: `${folder}/main` }])
    assert.deepEqual([a?.gdriveRefreshToken, a?.gdriveDelete], ['token-a', 'permanent'])
    assert.deepEqual([b?.gdriveRefreshToken, b?.gdriveDelete], ['token-b', 'trash'])
    assert.deepEqual([webdav?.isReadOnly, a?.isReadOnly], [true, false])
    const names = [...settings.allowedBuckets, 'made-later']
    assert.deepEqual(
      names.filter((name) => isReadOnlyBucket(name, settings)),
      ['photos', 'music'],
    )
    assert.equal(settings.workers, 1)
    const shown = shownSettings(settings)
    const shownValue = (name: string) => shown.find((one) => one.name === name)?.value
    assert.match(shownValue('ALLOWED_BUCKETS') ?? '', /^photos, backup@A, .*old@DEFAULT:o l d$/)
    assert.equal(shownValue('DRIVE_NAS'), 'webdav+http://nas/dav')
    assert.doesNotMatch(JSON.stringify(shown), /hidden|token/)
  })

  test('use the credentials without a name if they have none', async () => {
    const settings = await read({
      ALLOWED_BUCKETS: 'photos,backup@A',
      DRIVE_A: 'gdrive:A',
      GDRIVE_CLIENT_ID: 'id',
      GDRIVE_CLIENT_SECRET: 'hidden',
      GDRIVE_REFRESH_TOKEN: 'token',
      GDRIVE_SHARED_DRIVE: 'shared',
    })
    assert.equal(settings.drives[1]?.gdriveRefreshToken, 'token')
    assert.equal(settings.drives[1]?.gdriveSharedDrive, undefined)
  })

  test('are absent by default, and other settings are no drives', async () => {
    const settings = await read({
      DRIVE_POLL_SECONDS: '5',
      DRIVE_SPOOL: '/tmp/x',
      DRIVE_SPOOL_GIB: '3',
    })
    assert.deepEqual(
      settings.drives.map(({ name }) => name),
      [''],
    )
    assert.deepEqual(settings.bucketPlaces, [{ bucket: 'photos', drive: '', folder: 'photos' }])
    assert.equal(settings.driveSpoolGib, 3)
    const environment = { ...keys, DRIVE_SPOL: '/tmp' }
    const [warning] = settingsWarnings({ settings, environment, kept: {} })
    assert.match(warning ?? '', /DRIVE_SPOL is not a setting.*DRIVE_SPOOL/)
    const pool = { ALLOWED_BUCKETS: 'photos@POOL', DRIVE_POOL: `file:${folder}/pool` }
    assert.equal((await read(pool)).drives[1]?.name, 'POOL')
    assert.deepEqual(
      settingsWarnings({ settings, environment: { ...keys, ...pool }, kept: {} }),
      [],
    )
  })
})

describe('mistakes in drives', () => {
  const cases: readonly (readonly [Values, RegExp])[] = [
    [
      { ALLOWED_BUCKETS: 'photos@NASS', ...nas },
      /photos@NASS, but DRIVE_NASS is not set. Did you mean NAS\?/,
    ],
    [{ ...nas }, /DRIVE_NAS is set, but no bucket is on it: write BUCKET@NAS/],
    [{ ALLOWED_BUCKETS: 'photos@SPOOL' }, /DRIVE_SPOOL is not set|no drive can/],
    [{ DRIVE_DEFAULT: 'memory:' }, /DRIVE_DEFAULT is set: expected DRIVE/],
    [{ ALLOWED_BUCKETS: 'photos@nas', ...nas }, /capital letters.*"nas" is not valid/],
    [{ ALLOWED_BUCKETS: 'photos@NAS:../x', ...nas }, /"\.\.\/x" is not valid/],
    [{ ALLOWED_BUCKETS: 'photos@NAS:.bucketry/x', ...nas }, /is not valid/],
    [{ ALLOWED_BUCKETS: 'a/b@NAS', ...nas }, /bucket names/],
    [{ ALLOWED_BUCKETS: 'abc@NAS:x,def@NAS:x/y', ...nas }, /abc and def in the same folder/],
    [{ ALLOWED_BUCKETS: 'abc,def@DEFAULT:abc' }, /abc and def in the same folder/],
    [{ ALLOWED_BUCKETS: 'abc,abc@NAS', ...nas }, /has abc twice/],
    [
      { ALLOWED_BUCKETS: 'abc@NAS', DRIVE_NAS: 'nonsense' },
      /DRIVE_NAS is "nonsense": expected file:PATH/,
    ],
    [
      { ALLOWED_BUCKETS: 'abc@NAS', DRIVE_NAS: `file:${folder}/main/sub` },
      /DRIVE and DRIVE_NAS are in the same place/,
    ],
    [
      {
        ALLOWED_BUCKETS: 'abc@NAS,def@NAZ',
        ...nas,
        DRIVE_NAZ: 'webdav+http://other:hidden@nas/dav/',
      },
      /DRIVE_NAS and DRIVE_NAZ are in the same place/,
    ],
    [
      { ALLOWED_BUCKETS: 'abc@A,def@B', ...accountA, DRIVE_A: 'gdrive:', DRIVE_B: 'gdrive:x' },
      /DRIVE_B is a Google Drive: expected GDRIVE_CLIENT_ID_B.*connect google --drive B/,
    ],
    [
      { ALLOWED_BUCKETS: 'abc@NAS', ...nas, ...accountA },
      /GDRIVE_REFRESH_TOKEN_A is set, but DRIVE_A is not/,
    ],
    [
      { ALLOWED_BUCKETS: 'abc@ARCHIVE', DRIVE_ARCHIVE: 'memory:', GDRIVE_SUBJECT_ARCHVE: 'x' },
      /DRIVE_ARCHVE is not: there is no such drive. Did you mean the drive ARCHIVE\?/,
    ],
    [
      { ALLOWED_BUCKETS: 'abc@M', DRIVE_M: 'memory:', WORKERS: '2' },
      /DRIVE_M is memory:.*WORKERS=1/,
    ],
    [{ READ_ONLY: 'photoz' }, /READ_ONLY has "photoz".*Did you mean photos\?/],
    [{ READ_ONLY: '@NAS' }, /READ_ONLY has "@NAS"/],
    [
      {
        ALLOWED_BUCKETS: 'abc@X:in',
        DRIVE_X: `file:${folder}`,
        DRIVE: 'memory:',
        DATABASE_URL: `sqlite:${folder}/in/x.db`,
      },
      /DATABASE_URL is .*clients can read it in the bucket abc/,
    ],
  ]
  for (const [values, expected] of cases) {
    test(`such as ${JSON.stringify(values).slice(0, 90)}`, async () => {
      assert.match(await mistakesIn(values), expected)
    })
  }

  test('not for two drives of one account in separate folders, or of two accounts', async () => {
    const account = { GDRIVE_CLIENT_ID: 'i', GDRIVE_CLIENT_SECRET: 's', GDRIVE_REFRESH_TOKEN: 't' }
    const drives = { DRIVE: 'gdrive:A', DRIVE_A: 'gdrive:A', DRIVE_B: 'gdrive:B' }
    const buckets = { ALLOWED_BUCKETS: 'abc,def@A,ghi@B' }
    assert.equal(await mistakesIn({ ...account, ...accountA, ...drives, ...buckets }), '')
    assert.match(
      await mistakesIn({ ...account, ...drives, ...buckets }),
      /DRIVE and DRIVE_A are in the same/,
    )
  })
})
