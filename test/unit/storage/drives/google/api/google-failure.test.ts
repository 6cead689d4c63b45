import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DriveError } from '../../../../../../src/storage/drives/drive-error.ts'
import {
  errorOfFailure,
  GoogleIdTaken,
  GoogleNotFound,
  GooglePageExpired,
  GoogleSuspects,
} from '../../../../../../src/storage/drives/google/api/google-failure.ts'
import { TransientError } from '../../../../../../src/storage/drives/kit/cloud/retry-policy.ts'

const failure = (status: number, reason = '') => ({
  status,
  reason,
  message: 'Google says so',
  retryAfterMs: undefined,
})
const context = { doing: 'do it' }

test('errorOfFailure returns a TransientError only where a retry may help', () => {
  const passing: readonly [number, string, string][] = [
    [403, 'rateLimitExceeded', 'rate'],
    [403, 'userRateLimitExceeded', 'rate'],
    [429, '', 'rate'],
    [429, 'rateLimitExceeded', 'rate'],
    [408, '', 'server'],
    [500, 'internalError', 'server'],
    [502, '', 'server'],
    [503, 'backendError', 'server'],
    [599, '', 'server'],
  ]
  for (const [status, reason, expected] of passing) {
    const error = errorOfFailure(failure(status, reason), context)
    assert.ok(error instanceof TransientError, `${status} ${reason}`)
    assert.equal(error.reason, expected)
  }
})

test('errorOfFailure distinguishes permanent refusals by their reason', () => {
  const final: readonly [number, string, string, RegExp][] = [
    [403, 'storageQuotaExceeded', 'full', /shared drive/],
    [403, 'quotaExceeded', 'full', /storage is full/],
    [403, 'teamDriveFileLimitExceeded', 'full', /item limit is reached/],
    [403, 'numChildrenInNonRootLimitExceeded', 'full', /item limit is reached/],
    [403, 'insufficientFilePermissions', 'denied', /editor/],
    [403, 'appNotAuthorizedToFile', 'denied', /drive\.file/],
    [403, 'accessNotConfigured', 'unavailable', /Enable the Google Drive API/],
    [403, 'insufficientPermissions', 'unavailable', /bucketry connect/],
    [403, 'somethingNew', 'denied', /lacks permission/],
    [403, 'constructor', 'denied', /lacks permission/],
    [403, '', 'denied', /lacks permission/],
    [403, 'dailyLimitExceeded', 'busy', /daily quota/],
    [403, 'downloadQuotaExceeded', 'busy', /blocks downloads for up to a day/],
    [416, 'requestedRangeNotSatisfiable', 'changed', /shorter/],
    [400, 'invalid', 'unavailable', /do it \(400 invalid: Google says so\)/],
    [404, 'notFound', 'unavailable', /report it as a bug/],
    [409, '', 'unavailable', /report it as a bug/],
    [302, '', 'unavailable', /report it as a bug/],
  ]
  for (const [status, reason, kind, message] of final) {
    const error = errorOfFailure(failure(status, reason), context)
    assert.ok(error instanceof DriveError, `${status} ${reason}`)
    assert.equal(error.kind, kind, `${status} ${reason}`)
    assert.match(error.message, message)
  }
  const daily = errorOfFailure(failure(403, 'dailyLimitExceeded'), context)
  assert.equal((daily as DriveError).retryAfterSeconds, 3600)
})

test('errorOfFailure returns typed errors for what callers handle', () => {
  const notFound = errorOfFailure(failure(404, 'notFound'), { ...context, fileId: 'f1' })
  assert.ok(notFound instanceof GoogleNotFound)
  assert.match(notFound.message, /f1/)
  const taken = errorOfFailure(failure(409, 'fileIdInUse'), { ...context, newId: 'n1' })
  assert.ok(taken instanceof GoogleIdTaken)
  assert.match(taken.message, /n1/)
  for (const status of [400, 404, 410]) {
    const expired = errorOfFailure(failure(status, 'invalid'), { ...context, hasPageToken: true })
    assert.ok(expired instanceof GooglePageExpired)
  }
  const suspects = errorOfFailure(failure(403, 'cannotDownloadAbusiveFile'), context)
  assert.ok(suspects instanceof GoogleSuspects)
})

test('errorOfFailure returns a TransientError for a 400 of a session', () => {
  const error = errorOfFailure(failure(400, 'badRequest'), { ...context, isSession: true })
  assert.ok(error instanceof TransientError)
})
