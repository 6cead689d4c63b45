import { Code } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'

interface RichProps {
  /** Marks are pairs of tags without attributes, which are not nested. Other tags stay text. */
  readonly text: string
  /** What the words between a pair of tags become. `<b>` and `<code>` are always known. */
  readonly marks?: Readonly<Record<string, (words: string) => ReactNode>>
}

const always: NonNullable<RichProps['marks']> = {
  b: (words) => <b>{words}</b>,
  code: (words) => <Code translate="no">{words}</Code>,
}

/** A text of the catalogue with links, code or bold words: `Open <link>the settings</link>.` */
export function Rich({ text, marks }: RichProps) {
  const known = { ...always, ...marks }
  return text.split(/(<(?<mark>\w+)>.*?<\/\k<mark>>)/g).map((part, index, parts) => {
    // The split has three kinds of parts in turn: text, a pair of tags, and the name of the pair before.
    if (index % 3 === 2) return null
    const show = index % 3 === 1 ? known[parts[index + 1] ?? ''] : undefined
    const words = part.replace(/^<\w+>|<\/\w+>$/g, '')
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their order
    return <Fragment key={index}>{show === undefined ? part : show(words)}</Fragment>
  })
}
