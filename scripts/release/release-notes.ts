/**
 * The text below the heading of a version, such as `## 0.2.0 (2026-12-01)`.
 *
 * @throws when the changelog has no such heading, or nothing below it.
 */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1)
  const section = sections.find((text) => headingOf(text).split(' ')[0] === version)
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version}"`)
  const notes = section.slice(headingOf(section).length).trim()
  if (notes === '') throw new Error(`the section of ${version} in CHANGELOG.md is empty`)
  return `${notes}\n`
}

function headingOf(section: string): string {
  const [first = ''] = section.split('\n')
  return first
}
