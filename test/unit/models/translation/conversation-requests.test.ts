import {
  chatCall,
  chatUsed,
  cm,
  mc,
  rc,
  responsesTool,
  rm,
  testRequests,
  text,
  used,
  user,
} from './translated.ts'

const png = 'iVBORw0KGgo='

testRequests([
  {
    title: '1: texts of system are one system message, without cache_control',
    pair: mc,
    body: { system: [{ ...text('a'), cache_control: { type: 'ephemeral' } }, text('b')] },
    sent: { 'messages.0': { role: 'system', content: 'a\n\nb' }, 'messages.1': user },
    ignored: ['system.cache_control'],
  },
  {
    title: '2: system and developer prompts from anywhere are system, in order',
    pair: cm,
    body: {
      messages: [
        { role: 'system', content: 'a' },
        { role: 'developer', content: [text('b')] },
        user,
        { role: 'system', content: 'c' },
        { role: 'user', content: 'there' },
      ],
    },
    sent: {
      system: 'a\n\nb\n\nc',
      messages: [{ role: 'user', content: [text('Hi'), text('there')] }],
    },
  },
  {
    title: '7: an image in a data URL has its media type',
    pair: cm,
    body: {
      messages: [
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } }],
        },
      ],
    },
    sent: {
      'messages.0.content.0': {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: png },
      },
    },
  },
  {
    title: '8: an image by URL; its detail has no effect',
    pair: cm,
    body: {
      messages: [
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: 'https://a/b.png', detail: 'low' } }],
        },
      ],
    },
    sent: {
      'messages.0.content.0': { type: 'image', source: { type: 'url', url: 'https://a/b.png' } },
    },
    ignored: ['messages.content.image_url.detail'],
  },
  {
    title: '9, 10: results of tools, then what only a user shows and says',
    pair: mc,
    body: {
      messages: [
        user,
        {
          role: 'assistant',
          content: ['a', 'b'].map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })),
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'a',
              content: [
                text('seen'),
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
              ],
            },
            { type: 'tool_result', tool_use_id: 'b', content: 'done' },
            text('go on'),
          ],
        },
      ],
    },
    sent: {
      'messages.2': {
        role: 'tool',
        tool_call_id: 'a',
        content: 'seen\n\nIts files are in the next message.',
      },
      'messages.3': { role: 'tool', tool_call_id: 'b', content: 'done' },
      'messages.4': {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
          text('go on'),
        ],
      },
      'messages.length': 5,
    },
  },
  {
    title: '11: results of tools are one message',
    pair: cm,
    body: {
      messages: [
        user,
        {
          role: 'assistant',
          content: null,
          tool_calls: [chatCall('a', '{}'), chatCall('b', '{}')],
        },
        { role: 'tool', tool_call_id: 'a', content: '1' },
        { role: 'tool', tool_call_id: 'b', content: [text('2')] },
      ],
    },
    sent: {
      'messages.length': 3,
      'messages.2.content': [
        { type: 'tool_result', tool_use_id: 'a', content: [text('1')] },
        { type: 'tool_result', tool_use_id: 'b', content: [text('2')] },
      ],
    },
  },
  {
    title: '12: a failed tool is said to have failed',
    pair: mc,
    body: {
      messages: [
        ...used('a').messages.slice(0, 2),
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true, content: 'no' }],
        },
      ],
    },
    sent: { 'messages.2.content': 'The tool failed.\n\nno' },
  },
  {
    title: '13: an id that both sides accept',
    pair: mc,
    body: used('toolu_1'),
    sent: { 'messages.1.tool_calls.0.id': 'toolu_1', 'messages.2.tool_call_id': 'toolu_1' },
  },
  {
    title: '14: no arguments',
    pair: cm,
    body: chatUsed('a', ''),
    sent: { 'messages.1.content.0.input': {} },
  },
  {
    title: '15: arguments that are not JSON stay',
    pair: cm,
    body: chatUsed('a', '{"x'),
    sent: { 'messages.1.content.0.input': { raw_arguments: '{"x' } },
  },
  {
    title: '15: arguments that are not an object stay',
    pair: cm,
    body: chatUsed('a', '[1]'),
    sent: { 'messages.1.content.0.input': { raw_arguments: '[1]' } },
  },
  {
    title: '21: a freeform tool of Codex is a function with one text',
    pair: rc,
    body: {
      tools: [
        {
          type: 'custom',
          name: 'apply_patch',
          description: 'Edits.',
          format: { type: 'grammar', syntax: 'lark', definition: 'start: X' },
        },
      ],
      input: [
        { type: 'custom_tool_call', call_id: 'a', name: 'apply_patch', input: '*** Begin' },
        { type: 'custom_tool_call_output', call_id: 'a', output: 'Done!' },
      ],
    },
    sent: {
      'tools.0.function.parameters.required': ['input'],
      'tools.0.function.description':
        'Edits.\n\nThe input must match this grammar (lark):\nstart: X',
      'messages.0.tool_calls.0.function': {
        name: 'apply_patch',
        arguments: '{"input":"*** Begin"}',
      },
      'messages.1': { role: 'tool', tool_call_id: 'a', content: 'Done!' },
    },
    ignored: ['tools.format.type'],
  },
  {
    title: '22: tools of a namespace',
    pair: rc,
    body: { tools: [{ type: 'namespace', name: 'mcp', tools: [responsesTool] }] },
    sent: { 'tools.0.function.name': 'mcp__f' },
  },
  {
    title: '23: a text after a call stays in its turn',
    pair: mc,
    body: {
      messages: [
        user,
        {
          role: 'assistant',
          content: [text('a'), { type: 'tool_use', id: 't', name: 'f', input: {} }, text('b')],
        },
      ],
    },
    sent: { 'messages.1.content': 'a\n\nb', 'messages.1.tool_calls.length': 1 },
  },
  {
    title: '24: the beginning of an answer is kept',
    pair: mc,
    body: { messages: [user, { role: 'assistant', content: '{' }] },
    sent: { 'messages.1': { role: 'assistant', content: '{' } },
  },
  {
    title: '25: turns of one role are one message',
    pair: cm,
    body: { messages: [user, user] },
    sent: { messages: [{ role: 'user', content: [text('Hi'), text('Hi')] }] },
  },
  {
    title: '26: nothing empty is sent',
    pair: cm,
    body: {
      messages: [
        user,
        { role: 'assistant', content: '' },
        { role: 'user', content: [text(''), text('x')] },
      ],
    },
    sent: { messages: [{ role: 'user', content: [text('Hi'), text('x')] }] },
  },
  {
    title: '27: thinking of others never becomes text',
    pair: mc,
    body: {
      messages: [
        user,
        {
          role: 'assistant',
          content: [{ type: 'thinking', thinking: 'secret', signature: 'EqQB' }, text('a')],
        },
      ],
    },
    sent: { 'messages.1': { role: 'assistant', content: 'a' } },
    ignored: ['messages.content.thinking'],
  },
  {
    title: '29: redacted thinking of others is left out',
    pair: mc,
    body: {
      messages: [
        user,
        { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'EqQB' }, text('a')] },
      ],
    },
    sent: { 'messages.1': { role: 'assistant', content: 'a' } },
    ignored: ['messages.content.thinking'],
  },
  {
    title: '31: encrypted reasoning of others is left out',
    pair: rc,
    body: {
      input: [
        user,
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 's' }],
          encrypted_content: 'gAAA',
        },
      ],
    },
    sent: { 'messages.length': 1 },
    ignored: ['input.summary'],
  },
  {
    title: 'documents to OpenAI',
    pair: mc,
    body: {
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'document',
              title: 'a.pdf',
              source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
            },
            {
              type: 'document',
              title: 'b',
              source: { type: 'text', media_type: 'text/plain', data: 'c' },
            },
          ],
        },
      ],
    },
    sent: {
      'messages.0.content': [
        {
          type: 'file',
          file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' },
        },
        text('b\n\nc'),
      ],
    },
  },
  {
    title: 'files to Anthropic',
    pair: rm,
    body: {
      input: [
        {
          role: 'user',
          content: [
            {
              type: 'input_file',
              filename: 'a.pdf',
              file_data: 'data:application/pdf;base64,JVBE',
            },
          ],
        },
      ],
    },
    sent: {
      'messages.0.content.0': {
        type: 'document',
        title: 'a.pdf',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
      },
    },
  },
  {
    title: 'instructions, items and calls of Responses',
    pair: rm,
    body: {
      instructions: 'Be good.',
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'dev' }] },
        { role: 'user', content: 'Hi' },
        {
          type: 'message',
          role: 'assistant',
          id: 'msg_1',
          status: 'completed',
          content: [{ type: 'output_text', text: 'a', annotations: [] }],
        },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"x":"1"}' },
        {
          type: 'function_call_output',
          call_id: 'c',
          output: [
            { type: 'input_text', text: 'done' },
            { type: 'input_image', image_url: 'https://a/b.png' },
          ],
        },
      ],
    },
    sent: {
      system: 'Be good.\n\ndev',
      'messages.1.content': [
        text('a'),
        { type: 'tool_use', id: 'c', name: 'f', input: { x: '1' } },
      ],
      'messages.2.content.0': {
        ...{ type: 'tool_result', tool_use_id: 'c' },
        content: [text('done'), { type: 'image', source: { type: 'url', url: 'https://a/b.png' } }],
      },
    },
  },
  {
    title: 'a later system prompt stays in its place, as the user',
    pair: rc,
    body: { input: [user, { role: 'developer', content: 'now' }] },
    sent: { messages: [{ role: 'user', content: 'Hi\n\n<system>\nnow\n</system>' }] },
  },
])
