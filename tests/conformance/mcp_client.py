"""The stock Python client of the Model Context Protocol, driven line by line: JSON in, JSON out.

Arguments: the URL, the key, how it finds the protocol's version (`auto`, `legacy`, or a version), and `asked` where it is
a client that answers what tools ask it.
"""

import asyncio
import json
import sys

from mcp import Client, types
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def fills_in(_context, params):
    return types.ElicitResult(action="accept", content={"id": 7}) if params.message == "Which one?" else types.ElicitResult(action="decline")


async def writes(_context, params):
    return types.CreateMessageResult(role="assistant", model="m", content=types.TextContent(type="text", text="hello"))


async def main():
    url, key, mode = sys.argv[1], sys.argv[2], sys.argv[3]
    answers = {"elicitation_callback": fills_in, "sampling_callback": writes} if "asked" in sys.argv[4:] else {}
    async with create_mcp_http_client(headers={"authorization": f"Bearer {key}"}) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode, **answers) as client:
            while line := await asyncio.to_thread(sys.stdin.readline):
                asked = json.loads(line)
                if "tool" in asked:
                    result = await client.call_tool(asked["tool"], asked["arguments"])
                    answer = {"isError": bool(result.is_error), "text": result.content[0].text}
                else:
                    answer = [tool.name for tool in (await client.list_tools()).tools]
                print(json.dumps(answer), flush=True)


asyncio.run(main())
