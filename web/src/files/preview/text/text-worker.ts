import highlighter from 'highlight.js/lib/common'
import { marked } from 'marked'
import { codeRanges } from './code-ranges.ts'
import type { CodeBlock, CodeRanges, TextTask, TextTasks } from './text-task.ts'

/** Boxes of tasks are shown, not used: a document has no fields. */
marked.use({ renderer: { checkbox: ({ checked }) => (checked ? '☑ ' : '☐ ') } })

/** A thread for one task on an untrusted text: see in-thread.ts. */
function answerTo(task: TextTask): TextTasks[keyof TextTasks]['to'] {
  return task.name === 'code'
    ? task.from.map(rangesOf)
    : marked.parse(task.from, { gfm: true, async: false })
}

function rangesOf({ text, language }: CodeBlock): CodeRanges {
  if (highlighter.getLanguage(language) === undefined) return {}
  return codeRanges(highlighter.highlight(text, { language, ignoreIllegals: true }).value)
}

addEventListener('message', ({ data }: MessageEvent<TextTask>) => postMessage(answerTo(data)))
