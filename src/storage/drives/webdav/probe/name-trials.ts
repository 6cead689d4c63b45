/** Tried in one name, then in groups, then one by one. */
export const characterGroups = [
  [...':*"<>|'],
  // A Destination may end at these (RFC 3986 section 3), even where they are escaped in it: wsgidav.
  ['?', ';', '#'],
  ['&', '+', '~', '%'],
  ['\u00a0', '\u2028', '\ufffd', '😀', '\u{10ffff}'],
]
/** Tried alone, because many servers refuse it: Nextcloud, Windows. */
const backslash = '\\'
/** XML cannot contain them (XML 1.0 section 2.2), so a listing with such a name is malformed. */
const unlistable = ['\ufffe', '\uffff']
/** Names of devices on Windows. If one is refused, all are. */
const deviceNames = ['con', 'aux', 'nul', 'prn', 'com1', 'lpt1', 'nul.txt']
/** Removed by filters of temporary files, such as sabre/dav's; tried as `._b`. */
const temporaryNames = ['desktop.ini', 'thumbs.db', '.ds_store']
export const folderMarker = '.%'
/** The escaped form of the folder marker, for servers that refuse the plain form (key-path.ts). */
export const escapedMarker = '%2E%'
const escapedPercent = 'a%25b'
/** One of the usual index files is tried; the list is of Apache's DirectoryIndex and others. */
export const triedIndexName = 'index.html'
export const indexNames = [
  ...[triedIndexName, 'index.htm', 'index.php', 'index.cgi', 'index.pl', 'index.xhtml'],
  ...['index.shtml', 'index.txt', 'default.htm', 'default.html', 'index.var', 'index.html.var'],
]

export type List = 'characters' | 'beginnings' | 'endings' | 'names'

/** A part of a name that the server may be unable to store. */
export interface Suspect {
  readonly list: List
  readonly text: string
}

/** A name that contains suspects: if the server stores it, it accepts all of them. */
export interface Trial {
  readonly name: string
  readonly suspects: readonly Suspect[]
}

export const suspect = (list: List, text: string): Suspect => ({ list, text })
const beginsAndEnds = (beginning: string, ending: string): Trial => ({
  name: `${beginning}b${ending}`,
  suspects: [suspect('beginnings', beginning), suspect('endings', ending)],
})
export const mixedTrialOf = (characters: readonly string[]): Trial => ({
  name: `a${characters.join('a')}${escapedPercent}`,
  suspects: characters.map((character) => suspect('characters', character)),
})
export const mixedTrial = mixedTrialOf(characterGroups.flat())
export const trials: readonly Trial[] = [
  beginsAndEnds(' ', '~'),
  beginsAndEnds('._', '.swp'),
  ...[
    suspect('characters', backslash),
    suspect('beginnings', '.'),
    suspect('endings', ' '),
    suspect('endings', '.'),
    suspect('endings', '.part'),
    suspect('names', 'con'),
    suspect('names', '.git'),
    suspect('names', folderMarker),
  ].map(trialOf),
]

/** The shortest trial of one suspect. */
export function trialOf(one: Suspect): Trial {
  const { list, text } = one
  const names = {
    characters: `a${text}b`,
    beginnings: `${text}b`,
    endings: `b${text}`,
    names: text,
  }
  return { name: names[list], suspects: [one] }
}

/** Adds names that are never tried, and names that are refused together. */
export function withRelated(refused: readonly Suspect[]): Record<List, readonly string[]> {
  const textsIn = (list: List) => refused.filter((one) => one.list === list).map(({ text }) => text)
  const beginnings = textsIn('beginnings')
  const endings = textsIn('endings')
  const names = textsIn('names')
  return {
    characters: [...textsIn('characters'), ...unlistable],
    beginnings,
    endings: [...endings, ...(endings.includes('.part') ? ['.filepart'] : [])],
    names: [
      // A name of only a space is too easily lost.
      ' ',
      ...names.filter((name) => name !== 'con'),
      ...(names.includes('con') ? deviceNames : []),
      ...(beginnings.includes('._') ? temporaryNames : []),
    ],
  }
}
