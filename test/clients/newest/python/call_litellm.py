import os

import litellm

common = {
    "model": "openai/openai/big",
    "api_base": os.environ["ENDPOINT"] + "/v1",
    "api_key": os.environ["MODELS_KEY"],
    "messages": [{"role": "user", "content": "Hi"}],
}
assert litellm.completion(**common).choices[0].message.content == "héllo"
stream = litellm.completion(**common, stream=True)
text = "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)
assert text == "héllo 🦥", text
