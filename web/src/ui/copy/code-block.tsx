import { Box, Button, Group } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { frameTexts } from '../../texts/frame.ts'
import { saveText } from '../save-text.ts'
import classes from './code-block.module.css'
import { CopyButton } from './copy-button.tsx'

interface CodeBlockProps {
  readonly caption: string
  readonly text: string
  /** Adds a button that saves the text under this name. */
  readonly fileName?: string | undefined
  /** What the button copies, for its label. */
  readonly what: string
  /** Called when the text was copied or saved. */
  readonly onTaken?: (() => void) | undefined
}

/** Text to copy. */
export function CodeBlock({ caption, text, fileName, what, onTaken }: CodeBlockProps) {
  return (
    <Box component="figure" m={0}>
      <figcaption className={classes.caption}>
        <span>{caption}</span>
        <Group flex="none" gap={6} wrap="nowrap">
          {fileName !== undefined && (
            <Button
              variant="default"
              size="xs"
              leftSection={<IconDownload size={16} />}
              onClick={() => {
                saveText(fileName, text)
                onTaken?.()
              }}
            >
              {frameTexts.save}
            </Button>
          )}
          <CopyButton text={text} what={what} onCopied={onTaken}>
            {frameTexts.copy.action}
          </CopyButton>
        </Group>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling regions must be reachable by keyboard */}
      <pre className={classes.text} tabIndex={0}>
        {text}
      </pre>
    </Box>
  )
}
