"""Prints what a client gets of the models at an endpoint, as JSON, for a comparison with another endpoint."""

import json
import os

import openai

client = openai.OpenAI(
    base_url=os.environ["ENDPOINT"] + "/v1", api_key=os.environ["MODELS_KEY"], max_retries=0
)
prefix = os.environ["PREFIX"]
tools = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]


def chat(model, **more):
    messages = [{"role": "user", "content": "Hi 🦥"}]
    return client.chat.completions.create(model=prefix + model, messages=messages, **more)


def wrong():
    try:
        client.chat.completions.create(model=prefix + "big", messages="none")
    except openai.APIStatusError as error:
        return error.status_code


stream = chat("big", stream=True)
vectors = client.embeddings.create(model=prefix + "vector", input=["a", "ü 🦥"])
call = chat("tool", tools=tools).choices[0].message.tool_calls[0].function
print(
    json.dumps(
        {
            "answer": chat("big").choices[0].message.content,
            "stream": "".join(part.choices[0].delta.content or "" for part in stream if part.choices),
            "tool": {"name": call.name, "arguments": call.arguments},
            "embedding": [one.embedding for one in vectors.data],
            "wrong request": wrong(),
        }
    )
)
