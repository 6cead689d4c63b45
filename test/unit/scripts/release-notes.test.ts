import assert from 'node:assert/strict'
import { test } from 'node:test'
import { releaseNotes } from '../../../scripts/release/release-notes.ts'

const changelog = `# Changelog

## Unreleased

## 0.2.1 (2026-12-24)

## 0.2.0 (2026-12-01)

### Added

- A command.

## 0.1.0

- The beginning.
`

test('releaseNotes returns what is below the heading of the version', () => {
  assert.equal(releaseNotes(changelog, '0.2.0'), '### Added\n\n- A command.\n')
  assert.equal(releaseNotes(changelog, '0.1.0'), '- The beginning.\n')
})

test('releaseNotes refuses a version without a section, or with an empty one', () => {
  assert.throws(() => releaseNotes(changelog, '0.2'), /no section "## 0\.2"/)
  assert.throws(() => releaseNotes(changelog, '0.2.1'), /0\.2\.1 in CHANGELOG\.md is empty/)
})
