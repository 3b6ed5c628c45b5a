// What extensions can do with a person, for the tests: every kind of question, everything that is shown beside the
// conversation, and a gate in front of shell commands that remove something.
export default function (pi) {
  pi.registerCommand("ask", {
    description: "Asks with every dialog",
    handler: async (_args, ctx) => {
      const colour = await ctx.ui.select("Pick a colour", ["red", "green", "blue"]);
      ctx.ui.notify("select: " + String(colour), "info");
      const sure = await ctx.ui.confirm("Go on?", "Two more questions follow.");
      ctx.ui.notify("confirm: " + String(sure), "warning");
      const name = await ctx.ui.input("Your name", "e.g. Ada");
      ctx.ui.notify("input: " + String(name), "info");
      const text = await ctx.ui.editor("Edit the text", "line 1\nline 2");
      ctx.ui.notify("editor: " + JSON.stringify(text), "info");
    },
  });

  pi.registerCommand("decorate", {
    description: "Status, widget, title and editor text",
    handler: async (_args, ctx) => {
      ctx.ui.setStatus("harbour", "Tide rising");
      ctx.ui.setWidget("harbour", ["Berth 1: free", "Berth 2: taken"]);
      ctx.ui.setTitle("pi in the harbour");
      ctx.ui.setEditorText("Text from the extension");
      ctx.ui.notify("decorated", "info");
    },
  });

  pi.registerCommand("undecorate", {
    description: "Takes status and widget away",
    handler: async (_args, ctx) => {
      ctx.ui.setStatus("harbour", undefined);
      ctx.ui.setWidget("harbour", undefined);
      ctx.ui.notify("undecorated", "info");
    },
  });

  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName === "bash" && /\brm\b/.test(event.input.command)) {
      const allowed = await ctx.ui.confirm("Run this command?", event.input.command);
      if (!allowed) return { block: true, reason: "Rejected by the person" };
    }
  });
}
