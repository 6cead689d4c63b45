import type { CodeGroup, CodeRanges } from './text-task.ts'

/** Groups of the scopes of highlight.js ("CSS classes reference" of its documentation). */
const groups: Readonly<Record<CodeGroup, string>> = {
  comment: 'comment quote doctag meta',
  keyword: 'keyword literal type built_in tag name selector-tag operator',
  string: 'string regexp char symbol link code formula',
  number: 'number bullet variable template-variable',
  title: 'title section strong class',
  attribute: 'attr attribute property selector-class selector-id params-name',
  addition: 'addition',
  deletion: 'deletion',
}

const groupOf: ReadonlyMap<string, CodeGroup> = new Map(
  Object.entries(groups).flatMap(([group, scopes]) =>
    scopes.split(' ').map((scope) => [scope, group as CodeGroup] as const),
  ),
)

/** The output of highlight.js: elements with a class, and five escapes. */
const marks = /<span class="([^"]*)">|<\/span>|&(?:amp|lt|gt|quot|#x27);/g

/** The places of each group in a text, from its HTML by highlight.js. The innermost element decides. */
export function codeRanges(html: string): CodeRanges {
  const ranges: CodeRanges = {}
  const open: (CodeGroup | undefined)[] = []
  let inHtml = 0
  let inText = 0
  const pass = (characters: number) => {
    const group = open.at(-1)
    if (group !== undefined && characters > 0) {
      const places = ranges[group] ?? []
      ranges[group] = places
      if (places.at(-1) === inText) places[places.length - 1] = inText + characters
      else places.push(inText, inText + characters)
    }
    inText += characters
  }
  for (const { 0: mark, 1: names, index } of html.matchAll(marks)) {
    pass(index - inHtml)
    inHtml = index + mark.length
    if (mark === '</span>') open.pop()
    else if (names === undefined) pass(1)
    else open.push(groupOf.get(scopeIn(names)) ?? open.at(-1))
  }
  pass(html.length - inHtml)
  return ranges
}

/** `hljs-title function_`: "title". */
function scopeIn(names: string): string {
  return names.split(' ', 1)[0]?.replace('hljs-', '') ?? ''
}
