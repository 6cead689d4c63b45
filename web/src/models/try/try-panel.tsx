import { Alert, Button, Group, Select, Stack, Text, Textarea } from '@mantine/core'
import { IconPlayerStop, IconSend } from '@tabler/icons-react'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { Link } from 'wouter'
import { ApiError } from '../../api/api-error.ts'
import { formatAmount, formatCount } from '../../format/bytes.ts'
import { formatMilliseconds } from '../../format/time.ts'
import { Section } from '../../ui/section.tsx'
import { useListedModels } from '../routing-queries.ts'
import { useAddressParams } from '../use-address-params.ts'
import { ConnectApp } from './connect-app.tsx'
import type { Answer } from './stream-answer.ts'
import classes from './try.module.css'
import { useAnswer } from './use-answer.ts'

/** Maximum models suggested from a list that may have thousands. */
const maxShown = 50

/** A question to a model, and settings for apps that use it. The model is part of the page's address. */
export function TryPanel() {
  const [params, set] = useAddressParams()
  const models = [...new Set((useListedModels('chat').data ?? []).map(({ id }) => id))]
  const model = params.get('model') ?? models[0] ?? ''
  const data = model === '' || models.includes(model) ? models : [model, ...models]
  return (
    <>
      <Section title="Try it">
        <Select
          label="Model"
          data={data}
          value={model === '' ? null : model}
          limit={maxShown}
          searchable
          allowDeselect={false}
          nothingFoundMessage="No matching models"
          mb="sm"
          onChange={(chosen) => set('model', chosen ?? '')}
        />
        <Question model={model} />
      </Section>
      <ConnectApp model={model} />
    </>
  )
}

function Question({ model }: { readonly model: string }) {
  const { state, ask, stop } = useAnswer()
  const [prompt, setPrompt] = useState('')
  const { phase, answer, error } = state
  const isBusy = phase === 'waiting' || phase === 'arriving'
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault()
    if (!isBusy && model !== '' && prompt.trim() !== '') void ask(model, prompt)
  }
  return (
    <form onSubmit={submit}>
      <Textarea
        label="Question"
        description="Ctrl+Enter sends the question. It costs as much as a call of an app, and is listed under Try it on the tab Usage."
        autosize
        minRows={2}
        maxRows={10}
        value={prompt}
        onChange={(event) => setPrompt(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event)
        }}
      />
      <Group mt="sm" gap="sm">
        {isBusy ? (
          <Button
            variant="default"
            leftSection={<IconPlayerStop size={16} />}
            onClick={stop}
            key="stop"
          >
            Stop
          </Button>
        ) : (
          <Button
            type="submit"
            leftSection={<IconSend size={16} />}
            disabled={model === ''}
            key="ask"
          >
            Ask
          </Button>
        )}
        <Text size="sm" c="dimmed" role="status">
          {statusText(phase, answer)}
        </Text>
      </Group>
      {phase !== 'none' && answer !== undefined && answer.text !== '' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling regions must be reachable by keyboard
        <section className={classes.answer} aria-label="Answer" tabIndex={0}>
          {answer.text}
        </section>
      )}
      {error !== undefined && <Failed error={error} hasText={(answer?.text ?? '') !== ''} />}
    </form>
  )
}

function statusText(phase: string, answer: Answer | undefined): string {
  if (phase === 'waiting' || answer === undefined) return phase === 'waiting' ? waitingText : ''
  const isArriving = phase === 'arriving'
  if (isArriving && answer.text === '') {
    return answer.isThinking ? 'The model is thinking…' : waitingText
  }
  const { firstTokenMs, totalMs, attempts } = answer
  return [
    phase === 'stopped' && 'Stopped',
    firstTokenMs !== undefined && `First token after ${formatMilliseconds(firstTokenMs)}`,
    !isArriving && `${formatMilliseconds(totalMs)} in all`,
    !isArriving && tokensText(answer),
    attempts > 1 && formatAmount(attempts, 'attempt'),
  ]
    .filter((part) => part !== false)
    .join(' · ')
}

const waitingText = 'Waiting for the first token…'

/** False if the upstream has not reported them. */
function tokensText({ inputTokens, outputTokens = 0 }: Answer): string | false {
  if (inputTokens === undefined) return false
  return `${formatCount(inputTokens)} input and ${formatAmount(outputTokens, 'output token')}`
}

function Failed({ error, hasText }: { readonly error: Error; readonly hasText: boolean }) {
  const status = error instanceof ApiError ? error.status : 0
  const seconds = error instanceof ApiError ? error.retryAfterSeconds : undefined
  return (
    <Alert
      color="red"
      role="alert"
      mt="sm"
      title={hasText ? 'The answer is not complete' : 'The model did not answer'}
    >
      <Stack gap={4}>
        <Text size="sm">{error.message}</Text>
        {seconds !== undefined && (
          <Text size="sm">Try again in {formatAmount(seconds, 'second')}.</Text>
        )}
        {status !== 401 && (
          <Text size="sm">
            <Link href="/models/connections">Connections</Link> shows what is paused after failures,
            and can test each key.
          </Text>
        )}
      </Stack>
    </Alert>
  )
}
