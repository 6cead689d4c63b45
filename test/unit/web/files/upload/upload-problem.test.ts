import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '../../../../../web/src/api/api-error.ts'
import { uploadProblem } from '../../../../../web/src/files/upload/upload-problem.ts'

function serviceError(status: number, code = '', message = ''): Error {
  const body = `<Error><Code>${code}</Code><Message>${message}</Message></Error>`
  return Object.assign(new Error('refused'), { status, body })
}

describe('uploadProblem', () => {
  for (const [what, error, kind] of [
    ['a service that does not answer', new ApiError('?', { status: 0 }), 'passing'],
    ['a presigning that is refused', new ApiError('?', { status: 400 }), 'final'],
    ['a broken line', new Error('network'), 'passing'],
    ['SlowDown', serviceError(503, 'SlowDown'), 'passing'],
    ['a proxy that fails', Object.assign(new Error(), { status: 502 }), 'passing'],
    ['a taken name', serviceError(412, 'PreconditionFailed'), 'clash'],
    ['a file that is gone', serviceError(404, 'NoSuchKey'), 'clash'],
    ['a condition that the drive does not know', serviceError(501, 'NotImplemented'), 'unchecked'],
    ['a request that AWS refuses', serviceError(400, 'InvalidRequest'), 'final'],
    ['a lost upload', serviceError(404, 'NoSuchUpload'), 'lost'],
    ['a full drive', serviceError(403, 'QuotaExceeded'), 'full'],
    ['a refusal', serviceError(403, 'AccessDenied'), 'final'],
    ['what is no error', 'text', 'passing'],
  ] as const) {
    test(`takes ${what} as ${kind}`, () => {
      const problem = uploadProblem(error)
      assert.equal(problem.kind, kind)
      assert.notEqual(problem.message, '')
    })
  }

  test('gives the reason of the service', () => {
    const error = serviceError(403, 'AccessDenied', 'Could not write a&amp;b &lt;c&gt;.')
    assert.equal(uploadProblem(error).message, 'Could not write a&b <c>.')
  })

  test('names the code of an error without a reason', () => {
    assert.match(uploadProblem(serviceError(400, 'Odd')).message, /Odd/)
  })
})
