import { useEffect, useRef, useState } from 'react'
import { type Answer, streamAnswer } from './stream-answer.ts'

type Phase = 'none' | 'waiting' | 'arriving' | 'done' | 'stopped' | 'failed'

interface AnswerState {
  readonly phase: Phase
  readonly answer?: Answer
  readonly error?: Error
}

/** One answer at a time. It is cancelled when the page is left, or the session ends. */
export function useAnswer() {
  const [state, setState] = useState<AnswerState>({ phase: 'none' })
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const ask = async (model: string, prompt: string) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setState({ phase: 'waiting' })
    let latest: AnswerState = { phase: 'waiting' }
    let frame = 0
    const show = (next: AnswerState) => {
      latest = next
      // Events can come faster than the screen shows them.
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => running.current === controller && setState(latest))
    }
    try {
      const onChange = (answer: Answer) => show({ phase: 'arriving', answer })
      await streamAnswer({ model, prompt, signal: controller.signal, onChange })
      show({ ...latest, phase: 'done' })
    } catch (error) {
      if (controller.signal.aborted) show({ ...latest, phase: 'stopped' })
      else show({ ...latest, phase: 'failed', error: messageOf(error) })
    }
  }
  return { state, ask, stop: () => running.current?.abort() }
}

function messageOf(error: unknown): Error {
  // The message of fetch for a broken connection differs by browser.
  if (error instanceof TypeError)
    return new Error('The connection was lost before the answer ended.')
  return error instanceof Error ? error : new Error(String(error))
}
