import { jsonPath } from '../../../../src/platform/json-api/api-error.ts'

export const long = (length: number) => 'x'.repeat(length)
export const many = <Item>(length: number, make: (index: number) => Item) =>
  Array.from({ length }, (_, index) => make(index))

const badHeaderNames = [
  ...['', 'a b', 'a:', 'é', 'x\r\n', 'x'.repeat(201), 'X-A'],
  ...['Authorization', 'X-API-Key', 'host', 'Content-Type', 'content-language', 'Content-Length'],
  ...['Transfer-Encoding', 'Connection', 'Keep-Alive', 'TE', 'Trailer', 'Upgrade', 'cookie', 'Via'],
  ...['Proxy-Authorization', 'Expect', 'X-Forwarded-For', 'Forwarded', 'X-HTTP-Method-Override'],
  ...['Accept', 'Accept-Encoding', 'Digest'],
]
const badHeaderValues = [
  ...[5, null, '', ' ', 'a\nb', 'a\tb', '\u0085a\u0085', 'ключ', 'x'.repeat(1_001)],
  ...['****', '****zzzz'],
]

function withHeader(name: string, value: unknown): readonly [object, string] {
  const field = jsonPath(['providerSpecificData', 'headers', name])
  return [{ providerSpecificData: { headers: { 'x-a': 'b', [name]: value } } }, field]
}

/** Of one connection: the value, and the field below the connection. */
export const badConnections: readonly (readonly [fields: object, field: string])[] = [
  [{ provider: 5 }, 'provider'],
  [{ provider: '' }, 'provider'],
  [{ provider: ' ' }, 'provider'],
  [{ provider: 'a/b' }, 'provider'],
  [{ provider: 'a b' }, 'provider'],
  [{ provider: '..' }, 'provider'],
  [{ provider: long(201) }, 'provider'],
  [{ name: 5 }, 'name'],
  [{ name: 'a\nb' }, 'name'],
  [{ name: 'nul \0' }, 'name'],
  [{ name: 'half \ud800' }, 'name'],
  [{ name: long(201) }, 'name'],
  [{ isActive: 'true' }, 'isActive'],
  [{ isActive: 0 }, 'isActive'],
  [{ priority: '1' }, 'priority'],
  [{ priority: 1.5 }, 'priority'],
  [{ priority: -1 }, 'priority'],
  [{ priority: 1_000_001 }, 'priority'],
  [{ apiKey: 5 }, 'apiKey'],
  [{ apiKey: 'a b' }, 'apiKey'],
  [{ apiKey: 'a\r\nb' }, 'apiKey'],
  [{ apiKey: 'ключ' }, 'apiKey'],
  [{ apiKey: '••••1234' }, 'apiKey'],
  [{ apiKey: long(4_097) }, 'apiKey'],
  [{ apiKey: '****zzzz' }, 'apiKey'],
  [{ apiKey: '****' }, 'apiKey'],
  [{ apiKey: '****and-a-new-key' }, 'apiKey'],
  [{ providerSpecificData: 5 }, 'providerSpecificData'],
  [{ providerSpecificData: [] }, 'providerSpecificData'],
  [{ providerSpecificData: { baseUrl: 5 } }, 'providerSpecificData.baseUrl'],
  [{ providerSpecificData: { baseUrl: 'x' } }, 'providerSpecificData.baseUrl'],
  [{ providerSpecificData: { baseUrl: 'ftp://x' } }, 'providerSpecificData.baseUrl'],
  [{ providerSpecificData: { baseUrl: 'file:///etc' } }, 'providerSpecificData.baseUrl'],
  [{ providerSpecificData: { baseUrl: 'http://' } }, 'providerSpecificData.baseUrl'],
  [{ providerSpecificData: { baseUrl: 'http://u:p@x/v1' } }, 'providerSpecificData.baseUrl'],
  [{ providerSpecificData: { baseUrl: 'http://u@x/v1' } }, 'providerSpecificData.baseUrl'],
  [{ providerSpecificData: { baseUrl: 'http://x/v1#a' } }, 'providerSpecificData.baseUrl'],
  [
    { providerSpecificData: { baseUrl: `http://x/${long(2_000)}` } },
    'providerSpecificData.baseUrl',
  ],
  [{ providerSpecificData: { prefix: 5 } }, 'providerSpecificData.prefix'],
  [{ providerSpecificData: { prefix: 'a/b' } }, 'providerSpecificData.prefix'],
  [{ providerSpecificData: { prefix: 'a\tb' } }, 'providerSpecificData.prefix'],
  [{ providerSpecificData: { enabledModels: 'm' } }, 'providerSpecificData.enabledModels'],
  [{ providerSpecificData: { enabledModels: ['m', 5] } }, 'providerSpecificData.enabledModels[1]'],
  [{ providerSpecificData: { enabledModels: [null] } }, 'providerSpecificData.enabledModels[0]'],
  [
    { providerSpecificData: { enabledModels: [long(301)] } },
    'providerSpecificData.enabledModels[0]',
  ],
  [
    { providerSpecificData: { enabledModels: many(2_001, String) } },
    'providerSpecificData.enabledModels',
  ],
  [{ providerSpecificData: { baseURL: 'http://x' } }, 'providerSpecificData.baseURL'],
  [{ providerSpecificData: { headers: 'X-Title: Lab' } }, 'providerSpecificData.headers'],
  [{ providerSpecificData: { headers: ['a'] } }, 'providerSpecificData.headers'],
  [
    { providerSpecificData: { headers: Object.fromEntries(many(21, (at) => [`x-${at}`, 'a'])) } },
    'providerSpecificData.headers',
  ],
  ...badHeaderNames.map((name) => withHeader(name, 'v')),
  ...badHeaderValues.map((value) => withHeader('x-b', value)),
  [{ sealedKey: 'v1.x' }, 'sealedKey'],
  [{ 'odd field': 1 }, '["odd field"]'],
]

export const badCombos: readonly (readonly [combo: unknown, field: string])[] = [
  [{}, 'name'],
  [{ name: '' }, 'name'],
  [{ name: 'a b' }, 'name'],
  [{ name: 'a/b' }, 'name'],
  [{ name: 'é' }, 'name'],
  [{ name: '.' }, 'name'],
  [{ name: '..' }, 'name'],
  [{ name: long(201) }, 'name'],
  [{ name: 5 }, 'name'],
  [{ name: 'a', kind: 'chat' }, 'kind'],
  [{ name: 'a', kind: ['llm'] }, 'kind'],
  [{ name: 'a', models: 'm' }, 'models'],
  [{ name: 'a', models: ['m', ''] }, 'models[1]'],
  [{ name: 'a', models: many(101, String) }, 'models'],
  [{ name: 'a', model: 'm' }, 'model'],
]

export const badCustomModels: readonly (readonly [model: unknown, field: string])[] = [
  [{ providerAlias: 'p' }, 'id'],
  [{ id: ' ', providerAlias: 'p' }, 'id'],
  [{ id: '.', providerAlias: 'p' }, 'id'],
  [{ id: '..', providerAlias: 'p' }, 'id'],
  [{ id: 'm', providerAlias: '..' }, 'providerAlias'],
  [{ id: long(301), providerAlias: 'p' }, 'id'],
  [{ id: 'm' }, 'providerAlias'],
  [{ id: 'm', providerAlias: 'p/q' }, 'providerAlias'],
  [{ id: 'm', providerAlias: 'p', type: 'video' }, 'type'],
  [{ id: 'm', providerAlias: 'p', name: 5 }, 'name'],
  [{ id: 'm', providerAlias: 'p', kind: 'llm' }, 'kind'],
]

export const badAliases: readonly (readonly [alias: unknown, field: string])[] = [
  [{ target: 'p/m' }, 'name'],
  [{ name: '', target: 'p/m' }, 'name'],
  [{ name: ' ', target: 'p/m' }, 'name'],
  [{ name: '.', target: 'p/m' }, 'name'],
  [{ name: '..', target: 'p/m' }, 'name'],
  [{ name: '__proto__', target: 'p/m' }, 'name'],
  [{ name: long(201), target: 'p/m' }, 'name'],
  [{ name: 'a' }, 'target'],
  [{ name: 'a', target: 5 }, 'target'],
  [{ name: 'a', target: 'm' }, 'target'],
  [{ name: 'a', target: '/m' }, 'target'],
  [{ name: 'a', target: ' /m' }, 'target'],
  [{ name: 'a', target: 'p/' }, 'target'],
  [{ name: 'a', target: 'p/ ' }, 'target'],
  [{ name: 'a', target: `p/${long(500)}` }, 'target'],
  [{ name: 'a', target: 'p/m', alias: 'b' }, 'alias'],
]
